#include "gpu/cuda/tile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace headrace::gpu::cuda {
namespace {

constexpr std::byte guard{0xA5};
constexpr std::size_t guard_bytes = 32;

std::byte pattern(std::size_t i) { return static_cast<std::byte>(i * 131 + i / 251); }

/// A piece of `bytes` between addresses of the given offsets from a 16-byte boundary, with guard bytes around the copy.
struct Piece {
  Piece(std::size_t from_offset, std::size_t to_offset, std::size_t bytes)
      : source(bytes / 16 + 2), target(bytes / 16 + 2 * guard_bytes / 16 + 2), size(bytes) {
    from = reinterpret_cast<std::byte*>(source.data()) + from_offset;
    std::fill_n(reinterpret_cast<std::byte*>(target.data()), target.size() * sizeof(Word16), guard);
    to = reinterpret_cast<std::byte*>(target.data()) + guard_bytes + to_offset;
    for (std::size_t i = 0; i < size; ++i) from[i] = pattern(i);
  }

  bool arrived() const {
    const std::span around(reinterpret_cast<const std::byte*>(target.data()), target.size() * sizeof(Word16));
    const auto before = around.first(static_cast<std::size_t>(to - around.data()));
    const auto behind = around.subspan(before.size() + size);
    const auto is_guard = [](std::byte byte) { return byte == guard; };
    return std::equal(from, from + size, to) && std::ranges::all_of(before, is_guard) &&
           std::ranges::all_of(behind, is_guard);
  }

  std::vector<Word16> source;
  std::vector<Word16> target;
  std::size_t size;
  std::byte* from = nullptr;
  std::byte* to = nullptr;
};

void copy_by_threads(const Tile& tile, std::uint32_t threads) {
  for (std::uint32_t thread = 0; thread < threads; ++thread) copy_tile(tile, thread, threads);
}

TEST(Tile, MovesEachByteOnceBetweenAllPairsOfOffsets) {
  for (std::size_t from = 0; from < 16; ++from) {
    for (std::size_t to = 0; to < 16; ++to) {
      for (const std::size_t bytes : {0u, 1u, 2u, 3u, 4u, 7u, 15u, 16u, 17u, 31u, 63u, 64u, 65u, 255u, 1000u}) {
        Piece piece(from, to, bytes);
        copy_by_threads({piece.from, piece.to, bytes}, 8);
        ASSERT_TRUE(piece.arrived()) << "from offset " << from << " to offset " << to << ", " << bytes << " bytes";
      }
    }
  }
}

TEST(Tile, MovesAWholeTileWithTheThreadsOfABlock) {
  for (const std::size_t offset : {0u, 1u, 4u}) {
    Piece piece(offset, 0, tile_bytes_max);
    copy_by_threads({piece.from, piece.to, tile_bytes_max}, tile_threads);
    ASSERT_TRUE(piece.arrived()) << "from offset " << offset;
  }
}

TEST(Tile, UsesTheWidestWordThatBothAddressesAllow) {
  alignas(16) std::byte memory[64]{};
  EXPECT_EQ(word_bytes_of({memory, memory + 16, 1}), 16u);
  EXPECT_EQ(word_bytes_of({memory + 3, memory + 19, 1}), 16u) << "both are 3 past a boundary";
  EXPECT_EQ(word_bytes_of({memory + 8, memory + 16, 1}), 4u);
  EXPECT_EQ(word_bytes_of({memory + 5, memory + 1, 1}), 4u);
  EXPECT_EQ(word_bytes_of({memory + 2, memory, 1}), 1u);
  EXPECT_EQ(word_bytes_of({memory + 1, memory, 1}), 1u);
}

TEST(Tile, TransformsEachValueOnceFromAnyAddress) {
  Chain chain;
  ASSERT_TRUE(chain.append(link_of(AffineExpression{2, 1})));
  ASSERT_TRUE(chain.append(link_of(ReluExpression{})));
  for (std::size_t from = 0; from < 16; ++from) {
    for (std::size_t to = 0; to < 16; to += 4) {
      for (const std::size_t values : {0u, 1u, 2u, 3u, 4u, 5u, 8u, 15u, 16u, 17u, 1000u}) {
        Piece piece(from, to, values * 4);
        std::vector<float> want(values);
        for (std::size_t i = 0; i < values; ++i) {
          const float x = static_cast<float>(i) - 7.5F;
          std::memcpy(piece.from + i * 4, &x, 4);
          want[i] = std::max(2 * x + 1, 0.0F);
        }
        const std::vector<std::byte> before(piece.from, piece.from + piece.size);
        for (std::uint32_t thread = 0; thread < 8; ++thread) {
          transform_tile({piece.from, piece.to, piece.size}, chain, thread, 8);
        }
        const auto wanted = std::as_bytes(std::span(want));
        ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), piece.to))
            << "from offset " << from << " to offset " << to << ", " << values << " values";
        EXPECT_TRUE(std::equal(before.begin(), before.end(), piece.from)) << "the input stays as it is";
        std::copy_n(piece.from, piece.size, piece.to);
        ASSERT_TRUE(piece.arrived()) << "nothing was written around the values";
      }
    }
  }
}

TEST(Tile, CutsAPieceIntoTilesThatCoverItInOrder) {
  for (const std::size_t tile_bytes : {tile_bytes_min, tile_bytes_max}) {
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{1}, tile_bytes - 1, tile_bytes, tile_bytes + 1, 5 * tile_bytes + 77}) {
      std::vector<std::byte> from(bytes + 1), to(bytes + 1);
      std::vector<Tile> tiles(bytes / tile_bytes + 1);
      const std::uint32_t count = cut_into_tiles(from.data(), to.data(), bytes, tile_bytes, tiles.data());
      ASSERT_LE(count, tiles.size());
      std::size_t covered = 0;
      for (const Tile& tile : std::span(tiles).first(count)) {
        EXPECT_EQ(tile.from, from.data() + covered);
        EXPECT_EQ(tile.to, to.data() + covered);
        EXPECT_GT(tile.bytes, 0u);
        EXPECT_LE(tile.bytes, tile_bytes);
        covered += tile.bytes;
      }
      EXPECT_EQ(covered, bytes);
    }
  }
}

TEST(Tile, SmallBatchesAreCutFinerAndLargeOnesInto64) {
  EXPECT_EQ(tile_bytes_for(0), tile_bytes_min);
  EXPECT_EQ(tile_bytes_for(64 * 4096), 4096u);
  EXPECT_EQ(tile_bytes_for(64 * 4096 + 1), 8192u);
  EXPECT_EQ(tile_bytes_for(1u << 20), 16384u);
  EXPECT_EQ(tile_bytes_for(4u << 20), 65536u);
  EXPECT_EQ(tile_bytes_for(64u << 20), 65536u);
}

TEST(Tile, RoomForTilesHoldsHoweverABatchIsSplit) {
  for (const std::size_t total : {std::size_t{1000}, std::size_t{300'001}, std::size_t{5} << 20}) {
    for (std::size_t segments = 1; segments <= 40; ++segments) {
      const std::size_t piece = total / segments;
      std::vector<std::byte> memory(piece + 1);
      std::vector<Tile> tiles(tiles_max(total, 1) + 1);
      const std::size_t needed = segments * cut_into_tiles(memory.data(), memory.data(), piece,
                                                           tile_bytes_for(piece * segments), tiles.data());
      EXPECT_LE(needed, tiles_max(total, segments)) << segments << " pieces of " << piece;
    }
  }
}

}  // namespace
}  // namespace headrace::gpu::cuda
