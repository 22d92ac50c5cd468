#pragma once
// When to close an open batch. Pure: no clock of its own, no waiting.
//
// Asked when a slot is in hand. The batch is then as large as what gathered meanwhile, so that batches grow by
// themselves under load; only a configured delay holds a small one back on purpose.

#include <chrono>
#include <cstdint>
#include <optional>

#include "service/telemetry/timeline.hpp"

namespace headrace::pipeline {

/// What one batch may hold.
struct BatchLimits {
  std::uint32_t rows_max = 0;      // rows of all its requests; no row is split, no request either
  std::uint32_t segments_max = 0;  // requests
};

/// What waits, as the policy needs to know it.
struct BacklogView {
  std::uint64_t requests = 0;
  std::uint64_t rows = 0;
  telemetry::Clock::time_point oldest{};  // when the first of them came; meaningless when there is none
  std::optional<telemetry::Clock::time_point> deadline{};  // the earliest
};

struct BatchDecision {
  enum class Action : std::uint8_t {
    nothing,  // nothing waits
    take,  // take a batch now
    wait,  // until `until`, or until more came
  };
  Action action = Action::nothing;
  telemetry::Clock::time_point until{};
};

class BatchPolicy {
 public:
  /// `queue_delay`: how long the oldest request may be held back for others to join; zero: never.
  BatchPolicy(BatchLimits limits, std::chrono::microseconds queue_delay) noexcept;

  /// Take when a full batch waits, when the oldest has waited its delay, or when holding back would let a request
  /// expire.
  BatchDecision decide(const BacklogView& backlog, telemetry::Clock::time_point now) const noexcept;

  const BatchLimits& limits() const noexcept { return limits_; }

 private:
  BatchLimits limits_;
  telemetry::Clock::duration queue_delay_;
};

}  // namespace headrace::pipeline
