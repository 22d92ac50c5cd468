#include "load/timeline.hpp"

#include <gtest/gtest.h>

namespace headrace::load {
namespace {

using namespace std::chrono_literals;

const TimePoint from{1000s};

Timeline started() {
  Timeline timeline;
  timeline.start(from);
  return timeline;
}

TEST(Timeline, CountsEachSecondByTheTimeOfTheAnswer) {
  Timeline timeline = started();
  timeline.add_success(from - 1ms, 100);
  timeline.add_success(from + 999ms, 300);
  timeline.add_error(from + 1s);
  timeline.add_timeout(from + 3500ms, 5'000'000);
  ASSERT_EQ(timeline.slices().size(), 4U);
  EXPECT_EQ(timeline.slices()[0].succeeded, 2U);
  EXPECT_EQ(timeline.slices()[1].errors, 1U);
  EXPECT_EQ(timeline.slices()[1].quantile_ns(0.5), 0U);
  EXPECT_EQ(timeline.slices()[2].succeeded, 0U);
  EXPECT_EQ(timeline.slices()[3].errors, 1U);
  EXPECT_EQ(timeline.slices()[3].max_ns(), 5'000'000U);
}

TEST(Timeline, PercentilesAreWithinThreePercent) {
  Timeline timeline = started();
  for (std::uint64_t i = 1; i <= 10'000; ++i) timeline.add_success(from, i * 1000);
  const auto& slice = timeline.slices().front();
  for (const double quantile : {0.01, 0.5, 0.99, 0.999}) {
    const double exact = quantile * 1e7;
    EXPECT_NEAR(static_cast<double>(slice.quantile_ns(quantile)), exact, exact * 0.032);
  }
  EXPECT_EQ(slice.quantile_ns(1), 10'000'000U);
  timeline.add_success(from, std::uint64_t{1} << 50);  // beyond the last bucket
  EXPECT_EQ(timeline.slices().front().max_ns(), std::uint64_t{1} << 50);
}

TEST(Timeline, ALongRunHasLongerSlices) {
  Timeline timeline = started();
  for (int second = 0; second < 1500; ++second) timeline.add_success(from + second * 1s, 1000);
  EXPECT_EQ(timeline.slice_length(), Duration(4s));
  EXPECT_EQ(timeline.slices().size(), 375U);
  for (const auto& slice : timeline.slices()) EXPECT_EQ(slice.succeeded, 4U);
}

TEST(Timeline, ThreadsMergeWhateverTheirSlices) {
  Timeline fine = started();
  Timeline coarse = started();
  fine.add_success(from + 3s, 10);
  coarse.add_success(from, 20);
  coarse.add_success(from + 700s, 20);
  fine.merge(coarse);
  EXPECT_EQ(fine.slice_length(), Duration(2s));
  EXPECT_EQ(fine.slices()[0].succeeded, 1U);
  EXPECT_EQ(fine.slices()[1].succeeded, 1U);
  EXPECT_EQ(fine.slices()[350].succeeded, 1U);
}

TEST(Timeline, RunsFollowEachOther) {
  Timeline first = started();
  Timeline second = started();
  first.add_success(from + 1s, 10);
  second.add_success(from, 10);
  second.add_error(from + 1s);
  first.append(second);
  ASSERT_EQ(first.slices().size(), 4U);
  EXPECT_EQ(first.slices()[2].succeeded, 1U);
  EXPECT_EQ(first.slices()[3].errors, 1U);
}

}  // namespace
}  // namespace headrace::load
