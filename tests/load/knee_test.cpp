#include "load/knee.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace headrace::load {
namespace {

/// A closed system of N clients and `slots` servers that each take `service`: throughput grows until every slot is
/// busy.
CurvePoint closed_system(double clients, double slots, double service) {
  const double throughput = std::min(clients, slots) / service;
  return {throughput, clients / throughput};
}

TEST(Knee, IsWhereTheSlotsAreFull) {
  for (const double slots : {2.0, 4.0, 8.0, 16.0}) {
    std::vector<CurvePoint> curve;
    std::vector<double> clients;
    for (double n = 1; n <= 64; n *= 2) {
      clients.push_back(n);
      curve.push_back(closed_system(n, slots, 0.002));
    }
    const auto knee = find_knee(curve);
    ASSERT_TRUE(knee);
    EXPECT_EQ(clients[knee->index], slots);
  }
}

TEST(Knee, OfAnOpenQueueIsWhereTheNormalisedSlopeIsOne) {
  // M/M/1 at loads 0.01 … 0.95: latency 1 / (1 - load). With both axes over 0…1 and a chord from corner to corner the
  // farthest point has slope 1: 1 / (1 - load)² = (latency's range) / (load's range).
  std::vector<CurvePoint> curve;
  for (int i = 1; i <= 95; ++i) curve.push_back({i * 10.0, 1 / (1 - i / 100.0)});
  const double slope = (curve.back().latency - curve.front().latency) / 0.94;
  const double load = 1 - 1 / std::sqrt(slope);
  const auto knee = find_knee(curve);
  ASSERT_TRUE(knee);
  EXPECT_NEAR(curve[knee->index].throughput / 1000, load, 0.01);
}

TEST(Knee, IsTheSameInAnyUnit) {
  std::vector<CurvePoint> curve;
  std::vector<CurvePoint> scaled;
  for (double n = 1; n <= 32; ++n) {
    const CurvePoint point{n / (1 + n / 6), 1 + n * n / 100};
    curve.push_back(point);
    scaled.push_back({point.throughput * 1e6, point.latency * 1e-3});
  }
  ASSERT_TRUE(find_knee(curve));
  EXPECT_EQ(find_knee(curve)->index, find_knee(scaled)->index);
}

TEST(Knee, IsFoundWhereThroughputFallsAgain) {
  const std::vector<CurvePoint> curve{{100, 1}, {200, 1}, {390, 1.05}, {400, 2}, {350, 5}, {300, 12}};
  const auto knee = find_knee(curve);
  ASSERT_TRUE(knee);
  EXPECT_NEAR(static_cast<double>(knee->index), 2.5, 0.5);
}

TEST(Knee, AStraightCurveHasNone) {
  const std::vector<CurvePoint> straight{{1, 1}, {2, 2}, {3, 3}, {4, 4}};
  EXPECT_FALSE(find_knee(straight));
  const std::vector<CurvePoint> waiting{{100, 1}, {100, 2}, {100, 4}};  // full from the first level on
  EXPECT_FALSE(find_knee(waiting));
  EXPECT_FALSE(find_knee(std::vector<CurvePoint>{{1, 1}, {2, 1}}));
  EXPECT_FALSE(find_knee({}));
}

}  // namespace
}  // namespace headrace::load
