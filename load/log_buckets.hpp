#pragma once
// Buckets whose width doubles with every doubling of the value: each small value has its own, and above them 2^bits
// share a doubling, so that a value is known within 2^-bits of itself. Pure.

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace headrace::load {

template <unsigned bits>
struct LogBuckets {
  static constexpr std::uint64_t per_doubling = std::uint64_t{1} << bits;
  static constexpr std::uint64_t exact_values = 2 * per_doubling;

  static constexpr std::size_t bucket_of(std::uint64_t value) noexcept {
    if (value < exact_values) return value;
    const auto doubling = static_cast<std::uint64_t>(std::bit_width(value)) - (bits + 1);
    return exact_values + (doubling - 1) * per_doubling + (value >> doubling) - per_doubling;
  }
  static constexpr std::uint64_t last_value_of(std::size_t bucket) noexcept {
    if (bucket < exact_values) return bucket;
    const std::uint64_t doubling = (bucket - exact_values) / per_doubling + 1;
    const std::uint64_t step = (bucket - exact_values) % per_doubling + per_doubling;
    return ((step + 1) << doubling) - 1;
  }

  /// The smallest value that `quantile` (0 to 1) of the `count` values are not above, as exact as its bucket; the
  /// largest one is `max`, exactly. `counts`: by bucket. 0 when there is no value.
  template <class Count>
  static std::uint64_t quantile_of(double quantile, const std::vector<Count>& counts, std::uint64_t count,
                                   std::uint64_t max) noexcept {
    assert(quantile >= 0 && quantile <= 1);
    if (count == 0) return 0;
    const auto wanted = static_cast<std::uint64_t>(std::ceil(quantile * static_cast<double>(count)));
    const std::uint64_t rank = std::clamp<std::uint64_t>(wanted, 1, count);
    if (rank == count) return max;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      seen += counts[i];
      if (seen >= rank) return std::min(last_value_of(i), max);
    }
    return max;
  }
};

}  // namespace headrace::load
