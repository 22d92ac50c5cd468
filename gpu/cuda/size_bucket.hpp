#pragma once
// Captured graphs have grids of a fixed size, so there is one for each bucket of batch sizes, and rows beyond the count
// are masked. Steps of 4 keep the graphs few; a grid that is up to 4 times too large costs under a microsecond. Pure.

#include <algorithm>
#include <cstdint>

namespace headrace::gpu::cuda {

inline constexpr std::uint32_t bucket_step = 4;

/// The bucket of a batch of `rows`, at least 1: 1 · 2 to 4 · 5 to 16 · …
constexpr std::uint32_t bucket_of(std::uint32_t rows) noexcept {
  std::uint32_t bucket = 0;
  for (std::uint64_t most = 1; most < rows; most *= bucket_step) ++bucket;
  return bucket;
}

/// How many buckets there are up to `rows_max`.
constexpr std::uint32_t buckets_for(std::uint32_t rows_max) noexcept { return bucket_of(rows_max) + 1; }

/// The largest batch of that bucket.
constexpr std::uint32_t bucket_rows(std::uint32_t bucket, std::uint32_t rows_max) noexcept {
  std::uint64_t most = 1;
  for (std::uint32_t i = 0; i < bucket && most < rows_max; ++i) most *= bucket_step;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(most, rows_max));
}

}  // namespace headrace::gpu::cuda
