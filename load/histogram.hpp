#pragma once
// A high-dynamic-range histogram of durations: every percentile of a run within 0.1 %, in bounded memory.
//
// Values are nanoseconds. Up to 2,047 ns each value has a bucket of its own; above, each doubling is cut into 1,024
// equal buckets, so a bucket is at most 1/1,024 of its value wide: three significant digits from 1 us to 100 s. A value
// above 100 s falls into the last bucket (max stays exact). About 230 KB each; pure; not thread-safe: one a thread,
// merged at the end.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace headrace::load {

class Histogram {
 public:
  static constexpr std::uint64_t value_max_ns = 100'000'000'000;

  Histogram();

  void record(std::uint64_t ns) noexcept;
  void merge(const Histogram& other) noexcept;

  std::uint64_t count() const noexcept { return count_; }
  std::uint64_t max_ns() const noexcept { return max_ns_; }
  /// 0 when nothing was recorded.
  double mean_ns() const noexcept;

  /// The least recorded value that at least `quantile` (0 to 1) of all values do not exceed, rounded up to its bucket's
  /// end and never above the maximum. 0 when nothing was recorded.
  std::uint64_t quantile_ns(double quantile) const noexcept;

 private:
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  std::uint64_t max_ns_ = 0;
  double sum_ns_ = 0;
};

}  // namespace headrace::load
