#pragma once
// The coroutine that turns one model's queue into flights. A batch stays open until its slot is in hand: while all
// slots are in flight requests keep joining, so batches grow under load and an idle service adds no delay.

#include <atomic>
#include <boost/asio/basic_waitable_timer.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "service/pipeline/executor.hpp"
#include "service/pipeline/flight.hpp"
#include "service/pipeline/served_model.hpp"
#include "service/pipeline/slots.hpp"

namespace headrace::pipeline {

/// By ring, then slot.
using Flights = std::vector<std::vector<std::unique_ptr<Flight>>>;

class Batcher {
 public:
  using Timer = asio::basic_waitable_timer<telemetry::Clock, asio::wait_traits<telemetry::Clock>, Executor>;

  /// `executor`: the dispatcher's, which submits. All Batchers of one Slots share its `flights`, one per slot.
  Batcher(const Executor& executor, std::shared_ptr<ServedModel> model, Slots& slots, Flights& flights,
          std::atomic<std::uint64_t>& flight_numbers);

  /// Starts the coroutines; they end when the model's queue is closed and drained.
  void start();
  /// True once the last request of the closed queue was handed to a flight or dropped.
  bool drained() const noexcept { return drained_.load(std::memory_order_acquire); }

 private:
  Awaitable<> run();
  Awaitable<> expire();
  Awaitable<> hold_back();
  void expire_until(telemetry::Clock::time_point now);
  bool take(Flight& flight, telemetry::Clock::time_point turned, telemetry::Clock::time_point in_hand);

  Executor executor_;
  std::shared_ptr<ServedModel> model_;
  Slots& slots_;
  Flights& flights_;
  std::atomic<std::uint64_t>& flight_numbers_;
  Timer hold_timer_;
  Timer expiry_timer_;
  std::vector<QueuedRequest> taken_;
  std::vector<QueuedRequest> dropped_;
  std::atomic<bool> drained_{false};
};

}  // namespace headrace::pipeline
