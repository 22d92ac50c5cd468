#pragma once
// A request that finds the service idle flies at once, from the I/O thread that read it: no other thread has to be
// woken for it, and the same thread looks for its landing while it has nothing else to do. As soon as anything is
// queued or in flight, requests go through their model's queue, and batches grow.

#include <atomic>
#include <cstdint>
#include <memory>

#include "service/pipeline/batcher.hpp"
#include "service/pipeline/slots.hpp"

namespace headrace::pipeline {

class Request;

class Express {
 public:
  /// All outlive it; the flights and their numbers are the batchers' too.
  Express(Slots& slots, Flights& flights, std::atomic<std::uint64_t>& flight_numbers)
      : slots_(slots), flights_(flights), flight_numbers_(flight_numbers) {}

  /// On the request's I/O thread, when no other request is anywhere. True: it is in the air, as if the batcher had
  /// taken it. False: it goes the usual way.
  bool try_fly(const std::shared_ptr<Request>& request, telemetry::Clock::time_point now);

 private:
  Slots& slots_;
  Flights& flights_;
  std::atomic<std::uint64_t>& flight_numbers_;
};

}  // namespace headrace::pipeline
