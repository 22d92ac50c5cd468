#pragma once
// Numbers with one writing thread and any number of readers, and their plain sums.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace headrace::telemetry {

/// Written by one thread at a time, read by any. A load and a store instead of a read-modify-write: 1 ns,
/// never contended.
class Cell {
 public:
  void add(std::uint64_t n) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void set(std::uint64_t n) noexcept { value_.store(n, std::memory_order_relaxed); }
  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// A histogram's sum over threads: bucket i holds the values in (edge i-1, edge i], the last those above
/// every edge.
template <class Buckets>
struct HistogramTotals {
  std::array<std::uint64_t, Buckets::edge_count + 1> buckets{};
  std::uint64_t sum = 0;

  std::uint64_t count() const noexcept {
    std::uint64_t n = 0;
    for (const auto bucket : buckets) n += bucket;
    return n;
  }
};

/// One thread's part of a histogram. The count is the buckets' sum, so that a scrape never sees the two
/// disagree.
template <class Buckets>
struct HistogramCells {
  std::array<Cell, Buckets::edge_count + 1> buckets;
  Cell sum;

  void observe(std::uint64_t value) noexcept {
    buckets[Buckets::index(value)].add(1);
    sum.add(value);
  }
  void add_to(HistogramTotals<Buckets>& totals) const noexcept {
    for (std::size_t i = 0; i < buckets.size(); ++i) totals.buckets[i] += buckets[i].get();
    totals.sum += sum.get();
  }
};

}  // namespace headrace::telemetry
