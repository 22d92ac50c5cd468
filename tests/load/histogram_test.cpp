#include "load/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace headrace::load {
namespace {

std::uint64_t exact_quantile(const std::vector<std::uint64_t>& sorted, double quantile) {
  const auto rank = static_cast<std::size_t>(std::ceil(quantile * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

std::vector<std::uint64_t> log_uniform_values(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(3, 11);  // 1 us to 100 s, in ns
  std::vector<std::uint64_t> values(count);
  for (auto& value : values) value = static_cast<std::uint64_t>(std::pow(10.0, exponent(random)));
  return values;
}

TEST(Histogram, EmptyIsAllZero) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.quantile_ns(0.5), 0U);
  EXPECT_EQ(histogram.max_ns(), 0U);
  EXPECT_EQ(histogram.mean_ns(), 0);
}

TEST(Histogram, KeepsThreeSignificantDigitsOverTheWholeRange) {
  auto values = log_uniform_values(200'000, 7);
  Histogram histogram;
  for (const auto value : values) histogram.record(value);
  std::sort(values.begin(), values.end());
  for (const double quantile : {0.0, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
    const auto exact = exact_quantile(values, quantile);
    const auto got = histogram.quantile_ns(quantile);
    EXPECT_GE(got, exact) << quantile;
    EXPECT_LE(static_cast<double>(got), static_cast<double>(exact) * 1.001) << quantile;
  }
  EXPECT_EQ(histogram.max_ns(), values.back());
}

TEST(Histogram, EveryBucketBorderIsWithinOneThousandth) {
  for (int bit = 0; bit < 37; ++bit) {
    for (const std::int64_t beside : {-1, 0, 1}) {
      const auto value = static_cast<std::uint64_t>((std::int64_t{1} << bit) + beside);
      if (value > Histogram::value_max_ns) continue;
      Histogram histogram;
      histogram.record(value);
      histogram.record(Histogram::value_max_ns);  // so that the maximum does not cap the answer
      EXPECT_GE(histogram.quantile_ns(0.5), value);
      EXPECT_LE(static_cast<double>(histogram.quantile_ns(0.5)), static_cast<double>(value) * 1.001);
    }
  }
}

TEST(Histogram, SmallValuesAreExact) {
  Histogram histogram;
  for (std::uint64_t value = 0; value < 2048; ++value) histogram.record(value);
  EXPECT_EQ(histogram.quantile_ns(0.5), 1023U);
  EXPECT_EQ(histogram.quantile_ns(0.25), 511U);
  EXPECT_DOUBLE_EQ(histogram.mean_ns(), 1023.5);
}

TEST(Histogram, MergingIsRecordingBoth) {
  const auto first = log_uniform_values(5000, 1);
  const auto second = log_uniform_values(7000, 2);
  Histogram a;
  Histogram b;
  Histogram both;
  for (const auto value : first) a.record(value);
  for (const auto value : second) b.record(value);
  for (const auto value : first) both.record(value);
  for (const auto value : second) both.record(value);
  a.merge(b);
  EXPECT_EQ(a.count(), both.count());
  EXPECT_EQ(a.max_ns(), both.max_ns());
  EXPECT_NEAR(a.mean_ns(), both.mean_ns(), both.mean_ns() * 1e-9);
  for (const double quantile : {0.1, 0.5, 0.9, 0.999}) EXPECT_EQ(a.quantile_ns(quantile), both.quantile_ns(quantile));
}

TEST(Histogram, BeyondItsRangeOnlyTheMaximumIsExact) {
  Histogram histogram;
  histogram.record(250'000'000'000);
  histogram.record(300'000'000'000);
  EXPECT_EQ(histogram.max_ns(), 300'000'000'000U);
  EXPECT_GE(histogram.quantile_ns(0.5), Histogram::value_max_ns);
}

}  // namespace
}  // namespace headrace::load
