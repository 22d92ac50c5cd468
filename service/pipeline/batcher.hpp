#pragma once
// The coroutine that turns one model's queue into flights. A batch stays open until its slot is in hand: while all
// slots are in flight requests keep joining, so batches grow under load and an idle service adds no delay. A batch
// whose device is lost before it was submitted goes to another one; when there is none left, what waits is answered
// with that.

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
  void board(SlotRef slot, telemetry::Clock::time_point turned);
  bool take(Flight& flight, telemetry::Clock::time_point turned, telemetry::Clock::time_point in_hand);
  void take_from_queue();
  void refuse_all();
  static void answer(std::shared_ptr<Request> request, telemetry::Stage ended, telemetry::Clock::time_point now,
                     proto::Error error);

  Executor executor_;
  std::shared_ptr<ServedModel> model_;
  Slots& slots_;
  Flights& flights_;
  std::atomic<std::uint64_t>& flight_numbers_;
  Timer hold_timer_;
  Timer expiry_timer_;
  std::vector<QueuedRequest> taken_;
  std::vector<QueuedRequest> dropped_;
  std::vector<std::shared_ptr<Request>> stranded_;  // a batch whose device was lost before it was submitted
  std::atomic<bool> drained_{false};
};

}  // namespace headrace::pipeline
