#include "gpu/block_shelves.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace headrace::gpu {
namespace {

constexpr std::size_t plenty = std::size_t{1} << 22;  // units: 1 GiB

TEST(BlockShelves, TheLastBlockPutIsTheFirstTaken) {
  BlockShelves shelves(plenty);
  EXPECT_FALSE(shelves.take(3));
  EXPECT_TRUE(shelves.put(3, 8));
  EXPECT_TRUE(shelves.put(3, 16));
  EXPECT_FALSE(shelves.take(2)) << "orders do not mix";
  EXPECT_EQ(shelves.take(3), 16u);
  EXPECT_EQ(shelves.take(3), 8u);
  EXPECT_FALSE(shelves.take(3));
}

TEST(BlockShelves, HoldAtMostTheirRoom) {
  BlockShelves shelves(plenty);
  for (std::size_t order = 0; order < BlockShelves::orders; ++order) {
    std::size_t put = 0;
    while (put < 1000 && shelves.put(order, put << order)) ++put;
    EXPECT_EQ(put, std::min<std::size_t>(BlockShelves::blocks_max, 1024 >> order)) << order;
  }
  EXPECT_FALSE(shelves.put(BlockShelves::orders, 0)) << "large blocks have no shelf";
}

TEST(BlockShelves, OfASmallPoolKeepLittleOrNothing) {
  BlockShelves none(1000);
  EXPECT_FALSE(none.put(0, 1));
  BlockShelves few(4096);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(few.put(0, i));
  EXPECT_FALSE(few.put(0, 5));
  EXPECT_TRUE(few.put(2, 8));
  EXPECT_FALSE(few.put(3, 16));
}

TEST(BlockShelves, ClearGivesWhatAllThreadsPut) {
  BlockShelves shelves(plenty);
  for (std::size_t i = 0; i < 5; ++i) {
    std::thread([&shelves, i] { ASSERT_TRUE(shelves.put(1, 2 * i)); }).join();
  }
  std::set<std::size_t> units;
  shelves.clear([&units](std::size_t order, std::size_t unit) {
    EXPECT_EQ(order, 1u);
    EXPECT_TRUE(units.insert(unit).second);
  });
  EXPECT_EQ(units, (std::set<std::size_t>{0, 2, 4, 6, 8}));
  EXPECT_FALSE(shelves.take(1));
}

}  // namespace
}  // namespace headrace::gpu
