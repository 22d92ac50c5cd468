#include "load/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace headrace::load {
namespace {

using namespace std::chrono_literals;

const TimePoint start{1'000'000s};

TEST(Schedule, IsConstantRate) {
  Schedule schedule(start, 1000, {0, 1});
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(schedule.next(), start + i * 1ms);
    schedule.advance();
  }
}

TEST(Schedule, SharesTogetherAreTheWholePlan) {
  std::vector<TimePoint> whole;
  Schedule one(start, 777, {0, 1});
  for (int i = 0; i < 300; ++i, one.advance()) whole.push_back(one.next());
  std::vector<TimePoint> joined;
  for (std::uint64_t thread = 0; thread < 3; ++thread) {
    Schedule share(start, 777, {thread, 3});
    for (int i = 0; i < 100; ++i, share.advance()) joined.push_back(share.next());
  }
  std::sort(joined.begin(), joined.end());
  EXPECT_EQ(joined, whole);
}

TEST(Schedule, DoesNotDrift) {
  Schedule schedule(start, 3, {0, 1});
  for (int i = 0; i < 3'000'000; ++i) schedule.advance();
  EXPECT_EQ(schedule.next(), start + 1'000'000s);
}

TEST(Schedule, TakesFractionsOfARequestASecond) {
  Schedule schedule(start, 0.25, {0, 1});
  schedule.advance();
  EXPECT_EQ(schedule.next(), start + 4s);
}

}  // namespace
}  // namespace headrace::load
