#include "load/schedule.hpp"

#include <cassert>
#include <cmath>

namespace headrace::load {

Schedule::Schedule(TimePoint start, double rate, Share share) noexcept
    : start_(start), rate_(rate), index_(share.first), stride_(share.stride) {
  assert(rate > 0 && share.stride > 0 && share.first < share.stride);
}

TimePoint Schedule::next() const noexcept {
  const long double after = static_cast<long double>(index_) * 1e9L / static_cast<long double>(rate_);
  return start_ + Duration(std::llround(after));
}

}  // namespace headrace::load
