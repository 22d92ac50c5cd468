#include "service/telemetry/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace headrace::telemetry {
namespace {

template <class Buckets>
std::size_t by_search(std::uint64_t value) {
  return static_cast<std::size_t>(std::ranges::lower_bound(Buckets::edges, value) - Buckets::edges.begin());
}

template <class Buckets>
void expect_same_as_search(std::uint64_t value) {
  ASSERT_EQ(Buckets::index(value), by_search<Buckets>(value)) << "value " << value;
}

template <class Buckets>
class Histogram : public testing::Test {};
using AllBuckets = testing::Types<DurationBuckets, RowBuckets>;
TYPED_TEST_SUITE(Histogram, AllBuckets);

TYPED_TEST(Histogram, EdgesAscendAndBelongToTheirOwnBucket) {
  EXPECT_TRUE(std::ranges::is_sorted(TypeParam::edges));
  for (std::size_t i = 0; i < TypeParam::edge_count; ++i) {
    EXPECT_EQ(TypeParam::index(TypeParam::edges[i]), i);
    EXPECT_EQ(TypeParam::index(TypeParam::edges[i] + 1), i + 1);
  }
}

TYPED_TEST(Histogram, AgreesWithASearchAtEveryBorder) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    for (const std::uint64_t value : {power - 1, power, power + 1}) expect_same_as_search<TypeParam>(value);
  }
  for (const std::uint64_t edge : TypeParam::edges) {
    for (const std::uint64_t value : {edge - 1, edge, edge + 1}) expect_same_as_search<TypeParam>(value);
  }
  expect_same_as_search<TypeParam>(std::numeric_limits<std::uint64_t>::max());
}

TYPED_TEST(Histogram, AgreesWithASearchInBetween) {
  for (std::uint64_t value = 0; value < 40'000'000'000; value += 1 + value / 97)
    expect_same_as_search<TypeParam>(value);
}

TEST(DurationBuckets, RoundLimitsAreEdges) {
  for (std::uint64_t limit = 1000; limit <= 10'000'000'000; limit *= 10) {
    EXPECT_TRUE(std::ranges::binary_search(DurationBuckets::edges, limit)) << limit << " ns";
  }
}

}  // namespace
}  // namespace headrace::telemetry
