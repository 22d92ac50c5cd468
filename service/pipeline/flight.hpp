#pragma once
// A batch on its way through a slot. It owns its requests, and so their buffers, until the device's one notice,
// whatever their clients do; then it answers every one of them through its mailbox.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/device.hpp"
#include "service/pipeline/slots.hpp"
#include "service/telemetry/metrics.hpp"
#include "service/telemetry/timeline.hpp"

namespace headrace::pipeline {

class Request;
struct ServedModel;

/// One per slot, reused: no allocation per batch once its vectors have grown. Once its device was lost it is not used
/// again, and keeps what the device was told of the batch: nobody knows whether that still looks at it.
class Flight final : public gpu::FlightObserver {
 public:
  Flight(Slots& slots, SlotRef slot, telemetry::Metrics& metrics);

  /// Where the batcher puts what it took; empty between flights.
  std::vector<std::shared_ptr<Request>>& requests() noexcept { return requests_; }

  /// Submits all requests() as one batch of `model`. The slot must be in hand, requests() not empty. `attended`: the
  /// calling thread looks for its landing.
  void start(std::shared_ptr<ServedModel> model, std::uint64_t number, bool attended = false) noexcept;

  /// Any thread, once: answers the requests and gives the slot back. What a lost device had is set aside before.
  void on_flight_done(const gpu::FlightResult& result) noexcept override;

 private:
  void lay_out();
  void learn(const gpu::FlightResult& result) const noexcept;
  void stamp(Request& request, const gpu::FlightResult& result, telemetry::Clock::time_point now) const noexcept;

  Slots& slots_;
  const SlotRef slot_;
  telemetry::Metrics& metrics_;
  telemetry::DeviceMetrics& device_metrics_;
  std::shared_ptr<ServedModel> model_;
  std::vector<std::shared_ptr<Request>> requests_;
  std::vector<const std::byte*> inputs_;  // of all requests, one behind the other
  std::vector<std::byte*> outputs_;       // likewise
  std::vector<gpu::Segment> segments_;
  gpu::Batch batch_;
  std::chrono::nanoseconds expected_{0};  // what it will take
};

}  // namespace headrace::pipeline
