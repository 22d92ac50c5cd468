#include "service/pipeline/work_estimate.hpp"

#include <gtest/gtest.h>

namespace headrace::pipeline {
namespace {

using std::chrono::nanoseconds;

TEST(WorkEstimate, KnowsNothingAtFirstAndLearnsNothingFromZero) {
  WorkEstimate estimate;
  EXPECT_EQ(estimate.expect(1), nanoseconds(0));
  estimate.learn(1, nanoseconds(0));
  estimate.learn(1, nanoseconds(-5));
  EXPECT_EQ(estimate.expect(1), nanoseconds(0));
}

TEST(WorkEstimate, AnswersForTheSameSizeAndOtherwiseForTheNearest) {
  WorkEstimate estimate;
  estimate.learn(4, nanoseconds(400));
  estimate.learn(64, nanoseconds(6'400));
  EXPECT_EQ(estimate.expect(7), nanoseconds(400)) << "the same doubling";
  EXPECT_EQ(estimate.expect(8), nanoseconds(400)) << "the next smaller that is known";
  EXPECT_EQ(estimate.expect(100), nanoseconds(6'400));
  EXPECT_EQ(estimate.expect(UINT32_MAX), nanoseconds(6'400));
  EXPECT_EQ(estimate.expect(1), nanoseconds(400)) << "none is smaller";
  EXPECT_EQ(estimate.expect(0), nanoseconds(400));
}

TEST(WorkEstimate, BelievesAShorterTimeSoonerThanALongerOne) {
  WorkEstimate estimate;
  estimate.learn(1, nanoseconds(1'600));
  estimate.learn(1, nanoseconds(3'200));
  EXPECT_EQ(estimate.expect(1), nanoseconds(1'700));
  estimate.learn(1, nanoseconds(700));
  EXPECT_EQ(estimate.expect(1), nanoseconds(1'200));
  for (int i = 0; i < 200; ++i) estimate.learn(1, nanoseconds(5'000));
  EXPECT_GT(estimate.expect(1), nanoseconds(4'900)) << "what lasts is learned";
}

}  // namespace
}  // namespace headrace::pipeline
