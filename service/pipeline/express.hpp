#pragma once
// Requests that nobody else gains by waiting with fly at once, from the I/O thread that read them, so that no other
// thread has to be woken for it: one that finds the service idle, whose thread then looks for its landing while it has
// nothing else to do; and a large one that finds its queue empty and a slot free, because it fills a flight by itself.
// Everything else goes through its model's queue, and batches grow.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "service/pipeline/batcher.hpp"
#include "service/pipeline/slots.hpp"

namespace headrace::pipeline {

class Request;

class Express {
 public:
  static constexpr std::size_t large_bytes_default = 256 << 10;

  /// All outlive it; the flights and their numbers are the batchers' too. `large_bytes`: of a body that is large.
  Express(Slots& slots, Flights& flights, std::atomic<std::uint64_t>& flight_numbers,
          std::size_t large_bytes = large_bytes_default)
      : slots_(slots), flights_(flights), flight_numbers_(flight_numbers), large_bytes_(large_bytes) {}

  /// On the request's I/O thread. `is_alone`: no other request is anywhere. True: it is in the air, as if the batcher
  /// had taken it. False: it goes the usual way.
  bool try_fly(const std::shared_ptr<Request>& request, bool is_alone, telemetry::Clock::time_point now);

 private:
  Slots& slots_;
  Flights& flights_;
  std::atomic<std::uint64_t>& flight_numbers_;
  const std::size_t large_bytes_;
};

}  // namespace headrace::pipeline
