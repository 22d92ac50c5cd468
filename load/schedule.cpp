#include "load/schedule.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace headrace::load {
namespace {

constexpr long double ns_per_second = 1e9L;

long double seconds_of(Duration duration) noexcept {
  return static_cast<long double>(duration.count()) / ns_per_second;
}

Duration duration_of(long double seconds) noexcept {
  const long double ns = seconds * ns_per_second;
  constexpr long double ns_max = 9e18L;
  return ns < ns_max ? Duration(std::llround(ns)) : Duration::max();
}

long double requests_of(const RateSegment& segment) noexcept {
  return (static_cast<long double>(segment.from) + static_cast<long double>(segment.to)) / 2 *
         seconds_of(segment.length);
}

/// Where in the segment `requests` of its own are reached: the root of from·t + (to − from)·t² / 2L, without
/// cancellation.
long double time_within(const RateSegment& segment, long double requests) noexcept {
  if (requests <= 0) return 0;
  const auto from = static_cast<long double>(segment.from);
  const auto to = static_cast<long double>(segment.to);
  const long double under = from * from + 2 * (to - from) * requests / seconds_of(segment.length);
  return 2 * requests / (from + std::sqrt(std::max(under, 0.0L)));
}

}  // namespace

Duration time_of(const Arrivals& arrivals, long double requests) noexcept {
  long double passed = 0;
  for (const RateSegment& segment : arrivals.segments) {
    const long double whole = requests_of(segment);
    if (requests < whole) return duration_of(passed + time_within(segment, requests));
    requests -= whole;
    passed += seconds_of(segment.length);
  }
  const double rate = arrivals.segments.empty() ? arrivals.rate : arrivals.segments.back().to;
  if (rate <= 0) return Duration::max();
  return duration_of(passed + requests / static_cast<long double>(rate));
}

double planned_requests(const Arrivals& arrivals, Duration length) noexcept {
  if (arrivals.replay) {
    const auto end = std::lower_bound(arrivals.replay->begin(), arrivals.replay->end(), length);
    return static_cast<double>(end - arrivals.replay->begin());
  }
  long double requests = 0;
  for (const RateSegment& segment : arrivals.segments) {
    if (length < segment.length) {
      const long double share = seconds_of(length) / seconds_of(segment.length);
      const auto change = static_cast<long double>(segment.to - segment.from);
      return static_cast<double>(requests +
                                 (static_cast<long double>(segment.from) + change * share / 2) * seconds_of(length));
    }
    requests += requests_of(segment);
    length -= segment.length;
  }
  const double rate = arrivals.segments.empty() ? arrivals.rate : arrivals.segments.back().to;
  return static_cast<double>(requests + static_cast<long double>(rate) * seconds_of(length));
}

Schedule::Schedule(TimePoint start, Arrivals arrivals, Share share)
    : start_(start),
      arrivals_(std::move(arrivals)),
      index_(share.first),
      stride_(share.stride),
      random_(arrivals_.seed) {
  assert(arrivals_.open_loop() && arrivals_.burst > 0 && share.stride > 0 && share.first < share.stride);
  draw_gaps();
  next_ = planned();
}

void Schedule::advance() {
  index_ += stride_;
  draw_gaps();
  next_ = planned();
}

void Schedule::draw_gaps() {
  if (!arrivals_.poisson) return;
  std::exponential_distribution<double> gap(static_cast<double>(1) / arrivals_.burst);
  for (const std::uint64_t wanted = index_ / arrivals_.burst + 1; gaps_ < wanted; ++gaps_) {
    arrived_ += static_cast<long double>(gap(random_));
  }
}

TimePoint Schedule::planned() const noexcept {
  Duration after{};
  if (arrivals_.replay) {
    if (index_ >= arrivals_.replay->size()) return TimePoint::max();
    after = (*arrivals_.replay)[index_];
  } else if (arrivals_.poisson) {
    after = time_of(arrivals_, arrived_);
  } else {
    after = time_of(arrivals_, static_cast<long double>(index_ - index_ % arrivals_.burst));
  }
  return after >= TimePoint::max() - start_ ? TimePoint::max() : start_ + after;
}

}  // namespace headrace::load
