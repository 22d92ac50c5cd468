#include "service/pipeline/batch_policy.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace headrace::pipeline {
namespace {

using namespace std::chrono_literals;
using Action = BatchDecision::Action;

constexpr telemetry::Clock::time_point start{1h};
constexpr BatchLimits limits{.rows_max = 64, .segments_max = 16};

TEST(BatchPolicy, TakesWhateverWaitsWhenThereIsNoDelay) {
  const BatchPolicy policy(limits, 0us);
  EXPECT_EQ(policy.decide({}, start).action, Action::nothing);
  EXPECT_EQ(policy.decide({.requests = 1, .rows = 1, .oldest = start}, start).action, Action::take);
  EXPECT_EQ(policy.decide({.requests = 1, .rows = 0, .oldest = start}, start).action, Action::take);
}

TEST(BatchPolicy, HoldsASmallBatchBackUntilTheOldestHasWaited) {
  const BatchPolicy policy(limits, 500us);
  const BacklogView view{.requests = 3, .rows = 63, .oldest = start};
  const auto early = policy.decide(view, start + 499us);
  EXPECT_EQ(early.action, Action::wait);
  EXPECT_EQ(early.until, start + 500us);
  EXPECT_EQ(policy.decide(view, early.until).action, Action::take) << "waking at the named time is late enough";
  EXPECT_EQ(policy.decide(view, start - 1us).until, start + 500us) << "stamps of other threads may be a little ahead";
}

TEST(BatchPolicy, DoesNotHoldAFullBatchBack) {
  const BatchPolicy policy(limits, 500us);
  EXPECT_EQ(policy.decide({.requests = 2, .rows = 64, .oldest = start}, start).action, Action::take);
  EXPECT_EQ(policy.decide({.requests = 16, .rows = 16, .oldest = start}, start).action, Action::take);
  EXPECT_EQ(policy.decide({.requests = 15, .rows = 63, .oldest = start}, start).action, Action::wait);
}

TEST(BatchPolicy, DoesNotHoldBackWhatWouldExpireMeanwhile) {
  const BatchPolicy policy(limits, 500us);
  BacklogView view{.requests = 1, .rows = 1, .oldest = start, .deadline = start + 400us};
  EXPECT_EQ(policy.decide(view, start).action, Action::take);
  view.deadline = start + 501us;
  EXPECT_EQ(policy.decide(view, start).action, Action::wait);
}

TEST(BatchPolicy, AbsurdDelaysDoNotOverflow) {
  const BatchPolicy endless(limits, std::chrono::microseconds::max());
  const auto decision = endless.decide({.requests = 1, .rows = 1, .oldest = start}, start);
  EXPECT_EQ(decision.action, Action::wait);
  EXPECT_GT(decision.until, start);
  const BatchPolicy negative(limits, std::chrono::microseconds::min());
  EXPECT_EQ(negative.decide({.requests = 1, .rows = 1, .oldest = start}, start).action, Action::take);
}

}  // namespace
}  // namespace headrace::pipeline
