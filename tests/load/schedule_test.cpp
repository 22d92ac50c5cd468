#include "load/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace headrace::load {
namespace {

using namespace std::chrono_literals;

const TimePoint start{1'000'000s};

Arrivals constant(double rate) { return {.rate = rate, .segments = {}, .replay = {}}; }

std::vector<Duration> first_times(const Arrivals& arrivals, std::size_t count, Schedule::Share share = {0, 1}) {
  std::vector<Duration> times;
  for (Schedule schedule(start, arrivals, share); times.size() < count; schedule.advance()) {
    if (schedule.next() == TimePoint::max()) break;
    times.push_back(schedule.next() - start);
  }
  return times;
}

TEST(Schedule, IsConstantRate) {
  Schedule schedule(start, constant(1000), {0, 1});
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(schedule.next(), start + i * 1ms);
    schedule.advance();
  }
}

TEST(Schedule, SharesTogetherAreTheWholePlan) {
  std::vector<TimePoint> whole;
  Schedule one(start, constant(777), {0, 1});
  for (int i = 0; i < 300; ++i, one.advance()) whole.push_back(one.next());
  std::vector<TimePoint> joined;
  for (std::uint64_t thread = 0; thread < 3; ++thread) {
    Schedule share(start, constant(777), {thread, 3});
    for (int i = 0; i < 100; ++i, share.advance()) joined.push_back(share.next());
  }
  std::sort(joined.begin(), joined.end());
  EXPECT_EQ(joined, whole);
}

TEST(Schedule, DoesNotDrift) {
  Schedule schedule(start, constant(3), {0, 1});
  for (int i = 0; i < 3'000'000; ++i) schedule.advance();
  EXPECT_EQ(schedule.next(), start + 1'000'000s);
}

TEST(Schedule, TakesFractionsOfARequestASecond) {
  Schedule schedule(start, constant(0.25), {0, 1});
  schedule.advance();
  EXPECT_EQ(schedule.next(), start + 4s);
}

TEST(Schedule, ARampSpreadsItsRequestsAsTheRateGrows) {
  Arrivals ramp;
  ramp.segments = {{10s, 0, 100}};
  const auto times = first_times(ramp, 700);
  EXPECT_EQ(times[5], Duration(1s));      // 0 + 10 t² / 2 = 5
  EXPECT_EQ(times[125], Duration(5s));
  EXPECT_EQ(times[500], Duration(10s));   // the whole ramp
  EXPECT_EQ(times[600], Duration(11s));   // its end's rate holds on
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  EXPECT_DOUBLE_EQ(planned_requests(ramp, 5s), 125);
  EXPECT_DOUBLE_EQ(planned_requests(ramp, 11s), 600);
}

TEST(Schedule, ARampMayFallToNothing) {
  Arrivals ramp;
  ramp.segments = {{10s, 100, 0}};
  const auto times = first_times(ramp, 1000);
  EXPECT_EQ(times.size(), 500U);  // nothing after the end: 500 is reached at the last instant, and never passed
  EXPECT_LT(times.back(), 10s);
}

TEST(Schedule, StepsChangeTheRateAtOnce) {
  Arrivals steps;
  steps.segments = {{1s, 10, 10}, {1s, 0, 0}, {1s, 20, 20}};
  const auto times = first_times(steps, 31);
  EXPECT_EQ(times[9], Duration(900ms));
  EXPECT_EQ(times[10], Duration(2s));  // the pause holds none
  EXPECT_EQ(times[11], Duration(2050ms));
  EXPECT_EQ(times[30], Duration(3s));
  EXPECT_DOUBLE_EQ(planned_requests(steps, 2500ms), 20);
}

TEST(Schedule, BurstsLeaveAtOnceAtTheSameMeanRate) {
  Arrivals bursts = constant(100);
  bursts.burst = 50;
  const auto times = first_times(bursts, 151);
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_EQ(times[i], (i / 50) * 500ms) << i;
}

TEST(Schedule, PoissonGapsAreExponential) {
  Arrivals poisson = constant(1000);
  poisson.poisson = true;
  constexpr std::size_t count = 100'000;
  const auto times = first_times(poisson, count);
  EXPECT_NEAR(std::chrono::duration<double>(times.back()).count(), 100, 1.5);  // 5 deviations are 1.6
  std::size_t longer_than_mean = 0;
  for (std::size_t i = 1; i < count; ++i) longer_than_mean += times[i] - times[i - 1] > 1ms ? 1U : 0U;
  EXPECT_NEAR(static_cast<double>(longer_than_mean) / count, 0.3679, 0.008);  // 1/e
  poisson.seed = 2;
  EXPECT_NE(first_times(poisson, 10), std::vector<Duration>(times.begin(), times.begin() + 10));
}

TEST(Schedule, EveryShapeIsOnePlanWhateverTheThreads) {
  Arrivals ramp;
  ramp.segments = {{1s, 50, 500}};
  ramp.poisson = true;
  ramp.burst = 4;
  Arrivals replay;
  replay.replay = std::make_shared<const std::vector<Duration>>(std::vector<Duration>{0ms, 3ms, 3ms, 8ms, 100ms});
  for (const Arrivals& arrivals : {ramp, replay}) {
    const auto whole = first_times(arrivals, 300);
    std::vector<Duration> joined;
    for (std::uint64_t thread = 0; thread < 3; ++thread) {
      const auto share = first_times(arrivals, 100, {thread, 3});
      joined.insert(joined.end(), share.begin(), share.end());
    }
    std::sort(joined.begin(), joined.end());
    EXPECT_EQ(joined, whole);
  }
  EXPECT_EQ(first_times(replay, 300), *replay.replay);
  EXPECT_DOUBLE_EQ(planned_requests(replay, 8ms), 3);
}

}  // namespace
}  // namespace headrace::load
