#pragma once
// Which bucket a value belongs to. Pure; the edges of every histogram of the service are set here and nowhere
// else.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace headrace::telemetry {

/// Durations: five edges a decade, 1 us to 10 s (36 edges), and one bucket above.
///
/// Geometric, because the same histogram serves a stage of 2 us and one of 2 s: a quantile that Prometheus
/// interpolates is then off by at most a fixed share (a bucket is 1.6 times as wide as the one before),
/// wherever it lies. 1 us is below what any stage with a clock stamp of its own costs, 10 s is beyond every
/// sensible time limit of a client. Five a decade, not factors of two: 10 ms, 100 ms and 1 s, at which people
/// set their limits, are edges, so the share of requests within them is exact. 36 edges x 13 series a model
/// is about 40 KB of exposition a model.
struct DurationBuckets {
  static constexpr std::size_t edge_count = 36;
  /// Upper edges in ns, inclusive, ascending.
  static constexpr std::array<std::uint64_t, edge_count> edges = [] {
    constexpr std::array<std::uint64_t, 5> first_decade{1000, 1600, 2500, 4000, 6300};
    std::array<std::uint64_t, edge_count> all{};
    std::uint64_t scale = 1;
    for (std::size_t i = 0; i < edge_count; ++i) {
      all[i] = first_decade[i % 5] * scale;
      if (i % 5 == 4) scale *= 10;
    }
    return all;
  }();

  /// The bucket of a duration in ns: the first whose edge is not below it; edge_count above the last edge.
  static constexpr std::size_t index(std::uint64_t ns) noexcept {
    const auto width = static_cast<std::size_t>(std::bit_width(ns));
    const std::size_t first = width < first_of_width.size() ? first_of_width[width] : edge_count;
    return first + std::size_t{ns > padded(first)} + std::size_t{ns > padded(first + 1)};
  }

 private:
  static constexpr std::uint64_t padded(std::size_t i) noexcept { return padded_edges[i]; }
  static constexpr std::array<std::uint64_t, edge_count + 2> padded_edges = [] {
    std::array<std::uint64_t, edge_count + 2> all{};
    all.fill(UINT64_MAX);
    for (std::size_t i = 0; i < edge_count; ++i) all[i] = edges[i];
    return all;
  }();
  /// By the number of significant bits of a value: how many edges lie below every value of that many bits.
  /// Between two powers of two lie at most two edges, so two comparisons from there find the bucket.
  static constexpr std::array<std::size_t, 35> first_of_width = [] {
    std::array<std::size_t, 35> first{};
    for (std::size_t width = 1; width < first.size(); ++width) {
      const std::uint64_t smallest = std::uint64_t{1} << (width - 1);
      while (first[width] < edge_count && edges[first[width]] < smallest) ++first[width];
    }
    return first;
  }();
};
static_assert(DurationBuckets::edges.back() == 10'000'000'000);

/// Rows of a batch: powers of two from 1 to 65536 (17 edges), and one bucket above: batches grow by doubling
/// under load, and graphs and kernels are chosen by size class.
struct RowBuckets {
  static constexpr std::size_t edge_count = 17;
  static constexpr std::array<std::uint64_t, edge_count> edges = [] {
    std::array<std::uint64_t, edge_count> all{};
    for (std::size_t i = 0; i < edge_count; ++i) all[i] = std::uint64_t{1} << i;
    return all;
  }();

  static constexpr std::size_t index(std::uint64_t rows) noexcept {
    if (rows <= 1) return 0;
    const auto width = static_cast<std::size_t>(std::bit_width(rows - 1));
    return width < edge_count ? width : edge_count;
  }
};

}  // namespace headrace::telemetry
