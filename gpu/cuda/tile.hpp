#pragma once
// A tile: a bounded run of bytes that one thread block moves between a request's host buffer and device rows.
// Cutting a batch into tiles keeps every block equally busy, whether a batch is one large request or a thousand small
// ones.
//
// Both addresses may be anything. No load or store is wider than what both addresses allow: bytes up to the first
// aligned address, then words of 16 or 4 bytes where the two addresses agree modulo that, then the bytes that are left.
// Written for host and device, so that all offsets are tested without a GPU.

#include <cstddef>
#include <cstdint>

#include "gpu/ops/host_device.hpp"

namespace headrace::gpu::cuda {

struct Tile {
  const std::byte* from;
  std::byte* to;
  std::uint64_t bytes;
};

/// Four loads of 16 bytes in flight for each of a block's 256 threads; a multiple of 16, so that cutting keeps
/// alignment.
inline constexpr std::size_t tile_bytes = 16384;
inline constexpr unsigned tile_threads = 256;

/// Tiles that suffice for up to `segments` pieces of `bytes` in all.
constexpr std::size_t tiles_max(std::size_t bytes, std::size_t segments) noexcept {
  return bytes / tile_bytes + segments;
}

/// Writes the tiles of one piece to `tiles` and returns how many.
inline std::uint32_t cut_into_tiles(const std::byte* from, std::byte* to, std::size_t bytes, Tile* tiles) noexcept {
  std::uint32_t count = 0;
  for (std::size_t at = 0; at < bytes; at += tile_bytes) {
    const std::size_t rest = bytes - at;
    tiles[count++] = {from + at, to + at, rest < tile_bytes ? rest : tile_bytes};
  }
  return count;
}

struct alignas(16) Word16 {
  std::uint32_t part[4];
};

/// Thread `thread` of `threads` moves its share of `count` words; loads first, so that they are in flight together.
template <class Word>
HEADRACE_HOST_DEVICE inline void copy_words(const std::byte* from, std::byte* to, std::uint32_t count,
                                            std::uint32_t thread, std::uint32_t threads) {
  constexpr std::uint32_t together = 4;
  const auto* source = reinterpret_cast<const Word*>(from);
  auto* target = reinterpret_cast<Word*>(to);
  for (std::uint32_t begin = thread; begin < count; begin += together * threads) {
    Word held[together];
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (std::uint32_t k = 0; k < together; ++k) {
      if (begin + k * threads < count) held[k] = source[begin + k * threads];
    }
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (std::uint32_t k = 0; k < together; ++k) {
      if (begin + k * threads < count) target[begin + k * threads] = held[k];
    }
  }
}

HEADRACE_HOST_DEVICE inline std::uint32_t word_bytes_of(const Tile& tile) {
  const std::uintptr_t difference =
      reinterpret_cast<std::uintptr_t>(tile.from) ^ reinterpret_cast<std::uintptr_t>(tile.to);
  if (difference % 16 == 0) return 16;
  return difference % 4 == 0 ? 4 : 1;
}

/// Thread `thread` of `threads` does its share of the tile; together they move each byte once.
HEADRACE_HOST_DEVICE inline void copy_tile(const Tile& tile, std::uint32_t thread, std::uint32_t threads) {
  const auto bytes = static_cast<std::uint32_t>(tile.bytes);
  const std::uint32_t word = word_bytes_of(tile);
  const auto misaligned = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(tile.to) % word);
  const std::uint32_t head_wanted = misaligned == 0 ? 0 : word - misaligned;
  const std::uint32_t head = head_wanted < bytes ? head_wanted : bytes;
  const std::uint32_t words = (bytes - head) / word;
  const std::uint32_t tail = head + words * word;
  if (word == 16) {
    copy_words<Word16>(tile.from + head, tile.to + head, words, thread, threads);
  } else if (word == 4) {
    copy_words<std::uint32_t>(tile.from + head, tile.to + head, words, thread, threads);
  } else {
    copy_words<std::uint8_t>(tile.from, tile.to, bytes, thread, threads);
    return;
  }
  copy_words<std::uint8_t>(tile.from, tile.to, head, thread, threads);
  copy_words<std::uint8_t>(tile.from + tail, tile.to + tail, bytes - tail, thread, threads);
}

}  // namespace headrace::gpu::cuda
