#pragma once
// What came when: a run cut into slices of a second by the time an answer ended, each with its counts and percentiles.
//
// A slice's percentiles are coarser than a run's, within 3.2 %, so that it takes 5 KB. Above 600 slices two become one
// and the slices twice as long, so a run of any length is bounded. Pure; not thread-safe: one a thread, merged at the
// end.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "load/clock.hpp"

namespace headrace::load {

class Timeline {
 public:
  static constexpr std::size_t slices_max = 600;

  class Slice {
   public:
    std::uint64_t succeeded = 0;
    std::uint64_t errors = 0;

    void record(std::uint64_t ns) noexcept;
    void merge(const Slice& other) noexcept;
    /// Of the recorded latencies, as Histogram's but within 3.2 %. 0 when there is none.
    std::uint64_t quantile_ns(double quantile) const noexcept;
    std::uint64_t max_ns() const noexcept { return max_ns_; }

   private:
    static constexpr std::size_t buckets = 1088;  // 32 to a doubling, up to 2^38 ns

    std::vector<std::uint32_t> counts_ = std::vector<std::uint32_t>(buckets);
    std::uint64_t count_ = 0;
    std::uint64_t max_ns_ = 0;
  };

  /// The measured part begins at `from`; what ends before it counts to the first slice.
  void start(TimePoint from);

  /// Allocates once a slice.
  void add_success(TimePoint ended, std::uint64_t latency_ns);
  void add_error(TimePoint ended);
  /// A request that was given up: an error whose time waited counts as latency.
  void add_timeout(TimePoint ended, std::uint64_t latency_ns);

  /// The same time, seen by another thread.
  void merge(const Timeline& other);
  /// Another time, after this one.
  void append(const Timeline& later);

  Duration slice_length() const noexcept { return length_; }
  const std::vector<Slice>& slices() const noexcept { return slices_; }

 private:
  Slice& at(TimePoint ended);
  void coarsen();
  void coarsen_to(Duration length);

  TimePoint from_{};
  Duration length_ = std::chrono::seconds(1);
  std::vector<Slice> slices_;
};

}  // namespace headrace::load
