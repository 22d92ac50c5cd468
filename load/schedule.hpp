#pragma once
// When the requests of an open loop should leave, whatever the server does. Pure.
//
// Request k leaves when the rate, summed up from the start, has reached k: a constant rate, a ramp and steps are one
// formula, inverted exactly and never added up, so nothing drifts. Poisson arrivals replace k by a sum of exponential
// gaps of mean 1; bursts of N replace it by the first number of its burst; a replay names every time itself. Threads
// share the plan by turns: thread t of T owns the requests t, t + T, t + 2T, … of one plan, the same for any T.

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "load/clock.hpp"

namespace headrace::load {

/// A part of a plan in which the rate goes in a straight line.
struct RateSegment {
  Duration length{};
  double from = 0;  // requests a second, at least 0
  double to = 0;
};

/// The shape of an open loop. Plain data; the default is no open loop.
struct Arrivals {
  double rate = 0;                    // requests a second over all threads, where `segments` is empty
  std::vector<RateSegment> segments;  // one after the other; after the last its end's rate holds on
  bool poisson = false;
  std::uint64_t seed = 1;             // of the Poisson gaps
  std::uint32_t burst = 1;            // requests that leave at once; the rate stays what it is
  std::shared_ptr<const std::vector<Duration>> replay;  // ascending, from the start; nothing after the last

  bool open_loop() const noexcept { return rate > 0 || !segments.empty() || replay; }
};

class Schedule {
 public:
  struct Share {
    std::uint64_t first = 0;   // this thread's number
    std::uint64_t stride = 1;  // threads in all
  };

  /// `arrivals` is an open loop.
  Schedule(TimePoint start, Arrivals arrivals, Share share);

  /// The planned time of the next request of this share; TimePoint::max() when the plan has no more.
  TimePoint next() const noexcept { return next_; }
  void advance();

 private:
  void draw_gaps();
  TimePoint planned() const noexcept;

  TimePoint start_;
  Arrivals arrivals_;
  std::uint64_t index_;
  std::uint64_t stride_;
  std::mt19937_64 random_;
  std::uint64_t gaps_ = 0;   // Poisson: drawn so far, one a burst
  long double arrived_ = 0;  // their sum
  TimePoint next_;
};

/// The time after the start at which the rate, summed up, reaches `requests`; Duration::max() when it never does.
Duration time_of(const Arrivals& arrivals, long double requests) noexcept;

/// Requests that the plan sends in its first `length` on average.
double planned_requests(const Arrivals& arrivals, Duration length) noexcept;

}  // namespace headrace::load
