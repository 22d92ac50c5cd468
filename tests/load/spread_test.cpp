#include "load/spread.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace headrace::load {
namespace {

TEST(Spread, OfFiveValues) {
  const std::vector<double> values{10, 12, 11, 13, 14};
  const Spread spread = spread_of(values);
  EXPECT_EQ(spread.count, 5U);
  EXPECT_DOUBLE_EQ(spread.mean, 12);
  const double half = 2.776 * std::sqrt(2.5 / 5);  // t for four degrees of freedom, variance 2.5
  EXPECT_NEAR(spread.low, 12 - half, 1e-9);
  EXPECT_NEAR(spread.high, 12 + half, 1e-9);
  EXPECT_EQ(spread.min, 10);
  EXPECT_EQ(spread.max, 14);
}

TEST(Spread, OneValueHasNoInterval) {
  const Spread spread = spread_of(std::vector<double>{7});
  EXPECT_EQ(spread.low, 7);
  EXPECT_EQ(spread.high, 7);
  EXPECT_EQ(spread_of({}).count, 0U);
}

TEST(Spread, OfRatiosIsSymmetricUnderExchange) {
  const std::vector<double> ratios{0.5, 1.0, 1.5};
  const std::vector<double> inverse{2.0, 1.0, 1 / 1.5};
  const Spread there = ratio_spread_of(ratios);
  const Spread back = ratio_spread_of(inverse);
  EXPECT_NEAR(there.mean * back.mean, 1, 1e-12);
  EXPECT_NEAR(there.low * back.high, 1, 1e-12);
  EXPECT_NEAR(there.max * back.min, 1, 1e-12);
}

TEST(Spread, StudentsTIsTheTables) {
  EXPECT_NEAR(student_t(1), 12.706, 1e-3);
  EXPECT_NEAR(student_t(21), 2.080, 0.004);
  EXPECT_NEAR(student_t(30), 2.042, 0.004);
  EXPECT_NEAR(student_t(120), 1.980, 0.004);
}

}  // namespace
}  // namespace headrace::load
