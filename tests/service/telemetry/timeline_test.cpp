#include "service/telemetry/timeline.hpp"

#include <gtest/gtest.h>

#include <set>

namespace headrace::telemetry {
namespace {

using std::chrono::nanoseconds;

TEST(Timeline, StagesAddUpToTheTotal) {
  const Clock::time_point start{nanoseconds(1000)};
  Timeline timeline;
  timeline.begin(start);
  for (std::size_t i = 0; i < stage_count; ++i) {
    timeline.end(static_cast<Stage>(i), start + nanoseconds(10 * (i + 1) * (i + 1)));
  }
  nanoseconds sum{0};
  for (std::size_t i = 0; i < stage_count; ++i) sum += timeline.of(static_cast<Stage>(i));
  EXPECT_EQ(sum, timeline.total());
  EXPECT_EQ(timeline.total(), nanoseconds(10 * stage_count * stage_count));
}

TEST(Timeline, AStampFromThePastCountsAsNothing) {
  const Clock::time_point start{nanoseconds(1000)};
  Timeline timeline;
  timeline.begin(start);
  timeline.end(Stage::read, start + nanoseconds(50));
  timeline.end(Stage::decode, start + nanoseconds(20));
  EXPECT_EQ(timeline.of(Stage::decode), nanoseconds(0));
  EXPECT_EQ(timeline.total(), nanoseconds(50));
}

TEST(Timeline, ADeviceTimeIsCutWhereItsNoticeCame) {
  const Clock::time_point start{nanoseconds(1000)};
  Timeline timeline;
  timeline.begin(start);
  timeline.add(Stage::kernel, nanoseconds(80), start + nanoseconds(30));
  EXPECT_EQ(timeline.of(Stage::kernel), nanoseconds(30));
}

TEST(Timeline, BeginningAgainForgets) {
  const Clock::time_point start{nanoseconds(1000)};
  Timeline timeline;
  timeline.begin(start);
  timeline.end(Stage::read, start + nanoseconds(50));
  timeline.begin(start + nanoseconds(100));
  EXPECT_EQ(timeline.of(Stage::read), nanoseconds(0));
  EXPECT_EQ(timeline.total(), nanoseconds(0));
}

TEST(StageName, EachStageHasItsOwn) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < stage_count; ++i) names.insert(stage_name(static_cast<Stage>(i)));
  EXPECT_EQ(names.size(), stage_count);
  EXPECT_EQ(stage_name(Stage::read), "read");
  EXPECT_EQ(stage_name(Stage::h2d), "h2d");
  EXPECT_EQ(stage_name(Stage::write), "write");
}

}  // namespace
}  // namespace headrace::telemetry
