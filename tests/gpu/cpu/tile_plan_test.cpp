#include "gpu/cpu/tile_plan.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpu/ops/generated.hpp"

namespace headrace::gpu::cpu {
namespace {

std::vector<Segment> segments_of(const std::vector<std::uint32_t>& rows) {
  std::vector<Segment> segments;
  for (const std::uint32_t count : rows) segments.push_back({{}, {}, count});
  return segments;
}

/// "2*" is a tile of two rows that lie in one segment.
std::vector<std::string> plan(const std::vector<std::uint32_t>& rows, std::size_t rows_max) {
  const auto segments = segments_of(rows);
  std::vector<std::string> tiles;
  RowCursor at = RowCursor{}.advanced(segments, 0);
  for (Tile tile = next_tile(segments, at, rows_max); tile.rows > 0; tile = next_tile(segments, at, rows_max)) {
    tiles.push_back(std::to_string(tile.rows) + (tile.one_segment ? "*" : ""));
    at = at.advanced(segments, tile.rows);
  }
  EXPECT_EQ(at, (RowCursor{segments.size(), 0}));
  return tiles;
}

using Tiles = std::vector<std::string>;

TEST(TileRows, AreAPowerOfTwoThatFits) {
  EXPECT_EQ(tile_rows_max(256), 512u);
  EXPECT_EQ(tile_rows_max(300), 256u);
  EXPECT_EQ(tile_rows_max(tile_bytes), 1u);
  EXPECT_EQ(tile_rows_max(10 * tile_bytes), 1u);
  EXPECT_EQ(tile_rows_max(1), tile_bytes);
}

TEST(TilePlan, CutsALargeRequest) { EXPECT_EQ(plan({150}, 64), (Tiles{"64*", "64*", "22*"})); }
TEST(TilePlan, GathersSmallRequests) { EXPECT_EQ(plan({1, 2, 3, 4}, 64), (Tiles{"10"})); }
TEST(TilePlan, FillsATileOfSmallRequestsOnly) { EXPECT_EQ(plan({10, 10, 10}, 16), (Tiles{"16", "14"})); }
TEST(TilePlan, LeavesALargeRequestWhole) { EXPECT_EQ(plan({3, 100, 2}, 64), (Tiles{"3*", "64*", "36*", "2*"})); }
TEST(TilePlan, TheRestOfALargeRequestJoinsTheNext) { EXPECT_EQ(plan({67, 2}, 64), (Tiles{"64*", "5"})); }
TEST(TilePlan, PassesEmptyRequests) { EXPECT_EQ(plan({0, 0, 5, 0}, 64), (Tiles{"5*"})); }
TEST(TilePlan, WideRowsGoOneByOne) { EXPECT_EQ(plan({2, 1}, 1), (Tiles{"1*", "1*", "1*"})); }
TEST(TilePlan, NothingIsNoTile) { EXPECT_EQ(plan({}, 8), Tiles{}); }

TEST(TilePlan, CoversEveryRowOfAnyBatch) {
  Generator generator(1);
  for (int i = 0; i < 200; ++i) {
    std::vector<std::uint32_t> rows(generator.bits() % 20);
    for (auto& count : rows) count = static_cast<std::uint32_t>(generator.bits() % 40);
    plan(rows, std::size_t{1} << generator.bits() % 7);
  }
}

}  // namespace
}  // namespace headrace::gpu::cpu
