#include "gpu/cuda/activity.hpp"

#include <gtest/gtest.h>

namespace headrace::gpu::cuda {
namespace {

using std::chrono::nanoseconds;

TEST(Activity, AddsIntervalsThatDoNotMeet) {
  Activity::Engine engine;
  engine.add(100, 150);
  engine.add(200, 210);
  EXPECT_EQ(engine.busy(), nanoseconds(60));
}

TEST(Activity, CountsTimeThatTwoFlightsShareOnce) {
  Activity::Engine engine;
  engine.add(100, 200);
  engine.add(150, 260);
  engine.add(160, 240);
  EXPECT_EQ(engine.busy(), nanoseconds(160));
}

TEST(Activity, IsNeverTooLargeWhateverTheOrder) {
  Activity::Engine engine;
  engine.add(500, 600);
  engine.add(100, 200);
  engine.add(550, 700);
  engine.add(700, 700);
  EXPECT_EQ(engine.busy(), nanoseconds(200));
}

}  // namespace
}  // namespace headrace::gpu::cuda
