#include "service/telemetry/rate_window.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace headrace::telemetry {
namespace {

using Time = std::chrono::steady_clock::time_point;
using namespace std::chrono_literals;

TEST(RateWindow, PassesSoManyASecond) {
  RateWindow window(2);
  const Time start(100s);
  EXPECT_TRUE(window.admit(start));
  EXPECT_TRUE(window.admit(start + 1ms));
  EXPECT_FALSE(window.admit(start + 2ms));
  EXPECT_FALSE(window.admit(start + 999ms));
  EXPECT_TRUE(window.admit(start + 1s));
  EXPECT_EQ(window.take_refused(), 2U);
  EXPECT_EQ(window.take_refused(), 0U);
}

TEST(RateWindow, ALimitOfZeroStillPassesOne) {
  RateWindow window(0);
  EXPECT_TRUE(window.admit(Time(5s)));
  EXPECT_FALSE(window.admit(Time(5s)));
}

TEST(RateWindow, ThreadsShareTheLimit) {
  RateWindow window(50);
  std::atomic<int> passed{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) passed += window.admit(Time(7s)) ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(passed.load(), 50);
  EXPECT_EQ(window.take_refused(), 3950U);
}

}  // namespace
}  // namespace headrace::telemetry
