#include "service/pipeline/batch_policy.hpp"

#include <algorithm>
#include <cassert>

namespace headrace::pipeline {

namespace {
// Longer delays mean the same, and cannot overflow when added to a time.
constexpr std::chrono::hours delay_max{24};
}  // namespace

BatchPolicy::BatchPolicy(BatchLimits limits, std::chrono::microseconds queue_delay) noexcept
    : limits_(limits), queue_delay_(std::clamp<std::chrono::microseconds>(queue_delay, {}, delay_max)) {
  assert(limits_.rows_max > 0 && limits_.segments_max > 0);
}

BatchDecision BatchPolicy::decide(const BacklogView& backlog, telemetry::Clock::time_point now) const noexcept {
  if (backlog.requests == 0) return {BatchDecision::Action::nothing, {}};
  const auto due = backlog.oldest + queue_delay_;
  const bool full = backlog.rows >= limits_.rows_max || backlog.requests >= limits_.segments_max;
  const bool would_expire = backlog.deadline && *backlog.deadline <= due;
  if (full || would_expire || now >= due) return {BatchDecision::Action::take, {}};
  return {BatchDecision::Action::wait, due};
}

}  // namespace headrace::pipeline
