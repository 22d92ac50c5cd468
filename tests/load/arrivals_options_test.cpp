#include "load/arrivals_options.hpp"

#include <gtest/gtest.h>

namespace headrace::load {
namespace {

using namespace std::chrono_literals;

TEST(ArrivalsOptions, OneNumberIsAConstantRate) {
  const auto arrivals = parse_rate("2500.5", 1s, 10s);
  ASSERT_TRUE(arrivals) << arrivals.error();
  EXPECT_EQ(arrivals->rate, 2500.5);
  EXPECT_TRUE(arrivals->segments.empty());
  EXPECT_TRUE(parse_rate("5", 1s, 0s));
}

TEST(ArrivalsOptions, ARampTakesTheWholeDurationAfterTheWarmUp) {
  const auto arrivals = parse_rate("100..2000", 2s, 10s);
  ASSERT_TRUE(arrivals) << arrivals.error();
  ASSERT_EQ(arrivals->segments.size(), 2U);
  EXPECT_EQ(arrivals->segments[0].length, Duration(2s));
  EXPECT_EQ(arrivals->segments[0].to, 100);
  EXPECT_EQ(arrivals->segments[1].length, Duration(10s));
  EXPECT_EQ(arrivals->segments[1].to, 2000);
}

TEST(ArrivalsOptions, StepsShareTheDuration) {
  const auto arrivals = parse_rate("100,0,300", 0s, 9s);
  ASSERT_TRUE(arrivals) << arrivals.error();
  ASSERT_EQ(arrivals->segments.size(), 3U);
  EXPECT_EQ(arrivals->segments[1].length, Duration(3s));
  EXPECT_EQ(arrivals->segments[2].from, 300);
}

TEST(ArrivalsOptions, WrongRatesAreRefused) {
  for (const char* text : {"", "x", "-1", "0", "0..0", "1..", "1..2..3", "1,,2", "1e10", "nan", "inf", "5x"}) {
    EXPECT_FALSE(parse_rate(text, 0s, 10s)) << text;
  }
  const auto unbounded = parse_rate("1..2", 0s, 0s);
  ASSERT_FALSE(unbounded);
  EXPECT_NE(unbounded.error().find("--duration"), std::string::npos);
}

TEST(ArrivalsOptions, TimeStampsCountFromTheFirst) {
  const auto times = parse_time_stamps("# seconds\n1000.5\n1000.5\r\n\n  1002\n");
  ASSERT_TRUE(times) << times.error();
  EXPECT_EQ(*times, (std::vector<Duration>{0s, 0s, 1500ms}));
}

TEST(ArrivalsOptions, WrongTimeStampsNameTheirLine) {
  EXPECT_EQ(parse_time_stamps("1\ntwo\n").error(), "line 2: expected a time in seconds, got 'two'");
  EXPECT_NE(parse_time_stamps("2\n1\n").error().find("line 2"), std::string::npos);
  EXPECT_FALSE(parse_time_stamps("# none\n"));
  EXPECT_FALSE(parse_time_stamps("0\n2e9\n"));
  EXPECT_EQ(read_time_stamps("/nowhere/stamps").error(), "/nowhere/stamps: cannot be read");
}

}  // namespace
}  // namespace headrace::load
