#include "load/turns.hpp"

#include <gtest/gtest.h>

namespace headrace::load {
namespace {

using namespace std::chrono_literals;

const TimePoint start{100s};

RunPlan plan(double rate) {
  RunPlan plan;
  plan.start = start;
  plan.measured_from = start + 1s;
  plan.end = start + 3s;
  plan.arrivals.rate = rate;
  return plan;
}

TEST(Turns, ClosedLoopSendsNowUntilTheEnd) {
  const std::atomic<bool> stop{false};
  Turns turns(plan(0), {0, 1}, RunPlan::no_quota, stop);
  EXPECT_FALSE(turns.open_loop());
  EXPECT_FALSE(turns.take(start)->measured);
  EXPECT_TRUE(turns.take(start + 1s)->measured);
  EXPECT_EQ(turns.take(start + 2s)->planned, start + 2s);
  EXPECT_FALSE(turns.take(start + 3s).has_value());
}

TEST(Turns, OpenLoopPlansEveryRequestBeforeTheEnd) {
  const std::atomic<bool> stop{false};
  Turns turns(plan(10), {0, 1}, RunPlan::no_quota, stop);
  int warm = 0;
  int measured = 0;
  while (const auto turn = turns.take(start)) ++(turn->measured ? measured : warm);
  EXPECT_EQ(warm, 10);
  EXPECT_EQ(measured, 20);
}

TEST(Turns, QuotaCountsMeasuredRequestsOnly) {
  const std::atomic<bool> stop{false};
  RunPlan unbounded = plan(10);
  unbounded.end = TimePoint::max();
  Turns turns(unbounded, {0, 1}, 5, stop);
  int taken = 0;
  while (turns.take(start)) ++taken;
  EXPECT_EQ(taken, 10 + 5);
}

TEST(Turns, StopEndsBothLoops) {
  std::atomic<bool> stop{false};
  Turns closed(plan(0), {0, 1}, RunPlan::no_quota, stop);
  Turns open(plan(10), {0, 1}, RunPlan::no_quota, stop);
  ASSERT_TRUE(closed.take(start) && open.take(start));
  stop = true;
  EXPECT_FALSE(closed.take(start).has_value());
  EXPECT_FALSE(open.take(start).has_value());
}

}  // namespace
}  // namespace headrace::load
