#pragma once
// The one clock of a run: monotonic, in nanoseconds.

#include <chrono>
#include <cstdint>

namespace headrace::load {

using Clock = std::chrono::steady_clock;
using TimePoint = std::chrono::time_point<Clock, std::chrono::nanoseconds>;
using Duration = std::chrono::nanoseconds;

/// Nanoseconds of a duration, 0 when it is negative.
inline std::uint64_t nanoseconds(Duration duration) noexcept {
  return duration.count() < 0 ? 0 : static_cast<std::uint64_t>(duration.count());
}

}  // namespace headrace::load
