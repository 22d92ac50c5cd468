#include "gpu/cpu/busy_time.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <thread>
#include <vector>

namespace headrace::gpu::cpu {
namespace {

using std::chrono::nanoseconds;

/// Stands still until the test moves it. Whole ticks, so that sums are exact.
struct TestClock {
  using duration = nanoseconds;
  using time_point = std::chrono::time_point<TestClock, nanoseconds>;
  static time_point now() noexcept { return time_point(at); }
  static inline nanoseconds at{0};
};
constexpr nanoseconds tick{64};
void pass(int ticks) { TestClock::at += ticks * tick; }

class BusyTimeTest : public testing::Test {
 protected:
  BusyTimeTest() { TestClock::at = tick * 1'000'003; }
  BasicBusyTime<TestClock> busy_;
};

TEST_F(BusyTimeTest, NobodyAtWorkIsNoTime) {
  pass(100);
  EXPECT_EQ(busy_.total(), nanoseconds(0));
}

TEST_F(BusyTimeTest, TimesApartAddUp) {
  for (const int ticks : {3, 5, 7}) {
    busy_.enter();
    pass(ticks);
    busy_.leave();
    pass(1000);
  }
  EXPECT_EQ(busy_.total(), 15 * tick);
}

TEST_F(BusyTimeTest, TimesTogetherCountOnce) {
  busy_.enter();
  pass(10);
  busy_.enter();  // overlaps the end of the first
  pass(10);
  busy_.leave();
  pass(10);
  busy_.leave();
  EXPECT_EQ(busy_.total(), 30 * tick);
}

TEST_F(BusyTimeTest, WhoIsStillAtWorkCountsUntilNow) {
  busy_.enter();
  pass(4);
  EXPECT_EQ(busy_.total(), 4 * tick);
  busy_.enter();
  pass(4);
  EXPECT_EQ(busy_.total(), 8 * tick);
  busy_.leave();
  busy_.leave();
  pass(4);
  EXPECT_EQ(busy_.total(), 8 * tick);
}

TEST_F(BusyTimeTest, WhatIsShorterThanATickEvensOut) {
  for (int i = 0; i < 1000; ++i) {
    busy_.enter();
    TestClock::at += nanoseconds(40);
    busy_.leave();
    TestClock::at += nanoseconds(91);
  }
  EXPECT_NEAR(static_cast<double>(busy_.total().count()), 40'000, 400);
}

TEST_F(BusyTimeTest, AYearOfWorkIsAYear) {
  constexpr std::chrono::hours year{24 * 365};
  busy_.enter();
  TestClock::at += year;
  EXPECT_EQ(busy_.total(), year);
  busy_.leave();
  EXPECT_EQ(busy_.total(), year);
}

TEST(BusyTime, ManyThreadsLeaveNothingBehind) {
  BusyTime busy;
  constexpr int threads = 4;
  std::latch start(threads + 1);
  {
    std::vector<std::jthread> running;
    for (int t = 0; t < threads; ++t) {
      running.emplace_back([&] {
        start.arrive_and_wait();
        for (int n = 0; n < 2000; ++n) {
          busy.enter();
          busy.leave();
        }
      });
    }
    start.arrive_and_wait();
    for (int n = 0; n < 1000; ++n) ASSERT_LT(busy.total(), std::chrono::hours(1)) << "no reader sees a torn value";
  }
  const auto idle = busy.total();
  EXPECT_EQ(busy.total(), idle);
}

}  // namespace
}  // namespace headrace::gpu::cpu
