#include "gpu/buddy_map.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "gpu/ops/generated.hpp"

namespace headrace::gpu {
namespace {

/// The orders of the pieces into which an untouched map can be taken apart, largest first.
std::vector<std::size_t> largest_pieces(BuddyMap& map) {
  std::vector<std::size_t> orders;
  std::vector<std::pair<std::size_t, std::size_t>> taken;
  for (std::size_t order = map.orders(); order-- > 0;) {
    while (const auto unit = map.take(order)) {
      orders.push_back(order);
      taken.emplace_back(*unit, order);
    }
  }
  for (const auto& [unit, order] : taken) map.give(unit, order);
  return orders;
}

TEST(BuddyMap, IsCutIntoTheLargestPiecesThatFit) {
  BuddyMap thirteen(13);
  EXPECT_EQ(largest_pieces(thirteen), (std::vector<std::size_t>{3, 2, 0}));
  BuddyMap sixteen(16);
  EXPECT_EQ(largest_pieces(sixteen), (std::vector<std::size_t>{4}));
  BuddyMap one(1);
  EXPECT_EQ(largest_pieces(one), (std::vector<std::size_t>{0}));
}

TEST(BuddyMap, AnEmptyMapHasNothing) {
  BuddyMap map(0);
  EXPECT_EQ(map.orders(), 0u);
  EXPECT_EQ(map.take(0), std::nullopt);
}

TEST(BuddyMap, GivesTheLowestBlockFirst) {
  BuddyMap map(8);
  EXPECT_EQ(map.take(0), 0u);
  EXPECT_EQ(map.take(0), 1u);
  EXPECT_EQ(map.take(1), 2u);
  EXPECT_EQ(map.take(2), 4u);
  EXPECT_EQ(map.take(0), std::nullopt);
}

TEST(BuddyMap, MergesOnlyBuddies) {
  BuddyMap map(4);
  for (std::size_t unit = 0; unit < 4; ++unit) EXPECT_EQ(map.take(0), unit);
  map.give(1, 0);
  map.give(2, 0);
  EXPECT_EQ(map.take(1), std::nullopt) << "1 and 2 are neighbours, not buddies";
  map.give(0, 0);
  EXPECT_EQ(map.take(1), 0u);
}

TEST(BuddyMap, BlocksNeverOverlapAndMergeBackWhole) {
  for (std::size_t units = 1; units <= 70; ++units) {
    BuddyMap map(units);
    const auto whole = largest_pieces(map);
    std::vector<char> out(units, 0);
    std::vector<std::pair<std::size_t, std::size_t>> taken;
    Generator generator(units);
    for (int i = 0; i < 400; ++i) {
      if (generator.bits() % 2 == 0 || taken.empty()) {
        const std::size_t order = generator.bits() % map.orders();
        const auto unit = map.take(order);
        if (!unit) continue;
        for (std::size_t at = *unit; at < *unit + (std::size_t{1} << order); ++at) {
          ASSERT_LT(at, units);
          ASSERT_EQ(out[at]++, 0) << "unit " << at << " of " << units << " is out twice";
        }
        taken.emplace_back(*unit, order);
      } else {
        std::swap(taken[generator.bits() % taken.size()], taken.back());
        const auto [unit, order] = taken.back();
        taken.pop_back();
        for (std::size_t at = unit; at < unit + (std::size_t{1} << order); ++at) --out[at];
        map.give(unit, order);
      }
    }
    for (const auto& [unit, order] : taken) map.give(unit, order);
    ASSERT_EQ(largest_pieces(map), whole) << units;
  }
}

#ifndef NDEBUG
TEST(BuddyMapDeathTest, RefusesABlockThatIsNotOut) {
  BuddyMap map(4);
  EXPECT_EQ(map.take(0), 0u);
  map.give(0, 0);
  EXPECT_DEATH(map.give(0, 0), "was not out");
}
#endif

}  // namespace
}  // namespace headrace::gpu
