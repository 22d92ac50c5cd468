#pragma once
// At most so many events a second, without a lock. Pure but for its one atomic word.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace headrace::telemetry {

/// Thread-safe. Seconds are counted from the clock's epoch: a burst across a border may pass twice the limit.
class RateWindow {
 public:
  explicit RateWindow(std::uint32_t per_second_max) noexcept
      : per_second_max_(std::clamp<std::uint32_t>(per_second_max, 1, count_max)) {}

  bool admit(std::chrono::steady_clock::time_point now) noexcept {
    const auto second =
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count());
    std::uint64_t seen = word_.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint64_t count = (seen >> count_bits) == second ? seen & count_max : 0;
      if (count >= per_second_max_) {
        refused_.fetch_add(1, std::memory_order_relaxed);
        return false;
      }
      const std::uint64_t next = (second << count_bits) | (count + 1);
      if (word_.compare_exchange_weak(seen, next, std::memory_order_relaxed)) return true;
    }
  }

  /// Refusals since the last call.
  std::uint64_t take_refused() noexcept { return refused_.exchange(0, std::memory_order_relaxed); }

 private:
  static constexpr unsigned count_bits = 20;
  static constexpr std::uint32_t count_max = (std::uint32_t{1} << count_bits) - 1;

  std::uint64_t per_second_max_;
  std::atomic<std::uint64_t> word_{0};  // second, then events passed in it
  std::atomic<std::uint64_t> refused_{0};
};

}  // namespace headrace::telemetry
