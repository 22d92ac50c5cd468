#pragma once
// When the requests of an open loop should leave: at a constant rate, whatever the server does. Pure.
//
// Request k of the whole run is planned at start + k / rate. Threads share the plan by turns: thread t of T owns the
// requests t, t + T, t + 2T, … A planned time is computed from k, never summed up, so it does not drift.

#include <cstdint>

#include "load/clock.hpp"

namespace headrace::load {

class Schedule {
 public:
  struct Share {
    std::uint64_t first = 0;   // this thread's number
    std::uint64_t stride = 1;  // threads in all
  };

  /// `rate` is requests a second over all threads, above 0.
  Schedule(TimePoint start, double rate, Share share) noexcept;

  /// The planned time of the next request of this share.
  TimePoint next() const noexcept;
  void advance() noexcept { index_ += stride_; }

 private:
  TimePoint start_;
  double rate_;
  std::uint64_t index_;
  std::uint64_t stride_;
};

}  // namespace headrace::load
