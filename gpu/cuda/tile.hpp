#pragma once
// A tile: a bounded run of bytes that one thread block moves between a request's host buffer and device rows.
// Cutting a batch into tiles keeps every block equally busy, whether a batch is one large request or a thousand small
// ones.
//
// Both addresses may be anything. No load or store is wider than what both addresses allow: bytes up to the first
// aligned address, then words of 16 or 4 bytes where the two addresses agree modulo that, then the bytes that are left.
// Written for host and device, so that all offsets are tested without a GPU.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "gpu/cuda/chain.hpp"
#include "gpu/ops/host_device.hpp"

namespace headrace::gpu::cuda {

struct Tile {
  const std::byte* from;
  std::byte* to;
  std::uint64_t bytes;
};

inline constexpr unsigned tile_threads = 256;
/// Multiples of 16, so that cutting keeps alignment. Measured on an H200, 64 requests of 64 KiB there and back: 64
/// tiles of 64 KiB move 37 GB/s each way, 256 of 16 KiB 31, because more blocks at once disturb each other on the bus;
/// small batches are cut finer, so that there are blocks enough to fill it.
inline constexpr std::size_t tile_bytes_min = 4096;
inline constexpr std::size_t tile_bytes_max = 65536;
inline constexpr std::size_t tiles_wanted = 64;

/// The size of tile for pieces of `total` bytes in all.
constexpr std::size_t tile_bytes_for(std::size_t total) noexcept {
  std::size_t bytes = tile_bytes_min;
  while (bytes < tile_bytes_max && bytes * tiles_wanted < total) bytes *= 2;
  return bytes;
}

/// Tiles that suffice for up to `segments` pieces of up to `bytes` in all, cut by tile_bytes_for their total.
constexpr std::size_t tiles_max(std::size_t bytes, std::size_t segments) noexcept {
  return std::max(tiles_wanted, bytes / tile_bytes_max) + segments;
}

/// Writes the tiles of one piece to `tiles` and returns how many.
inline std::uint32_t cut_into_tiles(const std::byte* from, std::byte* to, std::size_t bytes, std::size_t tile_bytes,
                                    Tile* tiles) noexcept {
  std::uint32_t count = 0;
  for (std::size_t at = 0; at < bytes; at += tile_bytes) {
    tiles[count++] = {from + at, to + at, std::min(tile_bytes, bytes - at)};
  }
  return count;
}

struct alignas(16) Word16 {
  std::uint32_t part[4];
};

/// What happens to words on their way: nothing.
struct Unchanged {
  template <class Word>
  HEADRACE_HOST_DEVICE void operator()(Word&) const {}
};

/// Thread `thread` of `threads` moves its share of `count` words; loads first, so that they are in flight together.
template <class Word, class Change = Unchanged>
HEADRACE_HOST_DEVICE inline void copy_words(const std::byte* from, std::byte* to, std::uint32_t count,
                                            std::uint32_t thread, std::uint32_t threads, const Change& change = {}) {
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
      if (begin + k * threads >= count) continue;
      change(held[k]);
      target[begin + k * threads] = held[k];
    }
  }
}

HEADRACE_HOST_DEVICE inline std::uint32_t word_bytes_of(const Tile& tile) {
  const std::uintptr_t difference =
      reinterpret_cast<std::uintptr_t>(tile.from) ^ reinterpret_cast<std::uintptr_t>(tile.to);
  if (difference % 16 == 0) return 16;
  return difference % 4 == 0 ? 4 : 1;
}

/// Words of a tile of which both addresses agree modulo the word: `head` bytes before the first aligned address, then
/// `words`, then what is left from byte `tail` on.
struct TileParts {
  std::uint32_t head;
  std::uint32_t words;
  std::uint32_t tail;
};
HEADRACE_HOST_DEVICE inline TileParts parts_of(const Tile& tile, std::uint32_t word) {
  const auto bytes = static_cast<std::uint32_t>(tile.bytes);
  const auto misaligned = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(tile.to) % word);
  const std::uint32_t head_wanted = misaligned == 0 ? 0 : word - misaligned;
  const std::uint32_t head = head_wanted < bytes ? head_wanted : bytes;
  const std::uint32_t words = (bytes - head) / word;
  return {head, words, head + words * word};
}

/// Thread `thread` of `threads` does its share of the tile; together they move each byte once.
HEADRACE_HOST_DEVICE inline void copy_tile(const Tile& tile, std::uint32_t thread, std::uint32_t threads) {
  const auto bytes = static_cast<std::uint32_t>(tile.bytes);
  const std::uint32_t word = word_bytes_of(tile);
  const TileParts parts = parts_of(tile, word);
  if (word == 16) {
    copy_words<Word16>(tile.from + parts.head, tile.to + parts.head, parts.words, thread, threads);
  } else if (word == 4) {
    copy_words<std::uint32_t>(tile.from + parts.head, tile.to + parts.head, parts.words, thread, threads);
  } else {
    copy_words<std::uint8_t>(tile.from, tile.to, bytes, thread, threads);
    return;
  }
  copy_words<std::uint8_t>(tile.from, tile.to, parts.head, thread, threads);
  copy_words<std::uint8_t>(tile.from + parts.tail, tile.to + parts.tail, bytes - parts.tail, thread, threads);
}

/// FP32 values on their way through a chain.
struct Chained {
  const Chain& chain;

  HEADRACE_HOST_DEVICE void operator()(Word16& word) const {
    float values[4];
    memcpy(values, word.part, sizeof values);
    chain.apply(values);
    memcpy(word.part, values, sizeof values);
  }
  HEADRACE_HOST_DEVICE void operator()(std::uint32_t& word) const {
    float values[1];
    memcpy(values, &word, sizeof values);
    chain.apply(values);
    memcpy(&word, values, sizeof values);
  }
};

/// As copy_tile, each FP32 value through the chain. `to` is aligned to 4 and `bytes` a multiple of it; `from` is
/// anything.
HEADRACE_HOST_DEVICE inline void transform_tile(const Tile& tile, const Chain& chain, std::uint32_t thread,
                                                std::uint32_t threads) {
  const auto bytes = static_cast<std::uint32_t>(tile.bytes);
  const std::uint32_t word = word_bytes_of(tile);
  const Chained change{chain};
  if (word == 16) {
    const TileParts parts = parts_of(tile, word);
    copy_words<Word16>(tile.from + parts.head, tile.to + parts.head, parts.words, thread, threads, change);
    copy_words<std::uint32_t>(tile.from, tile.to, parts.head / 4, thread, threads, change);
    copy_words<std::uint32_t>(tile.from + parts.tail, tile.to + parts.tail, (bytes - parts.tail) / 4, thread, threads,
                              change);
  } else if (word == 4) {
    copy_words<std::uint32_t>(tile.from, tile.to, bytes / 4, thread, threads, change);
  } else {
    for (std::uint32_t i = thread; i < bytes / 4; i += threads) {
      std::uint8_t part[4];
      for (std::uint32_t k = 0; k < 4; ++k) part[k] = static_cast<std::uint8_t>(tile.from[i * 4 + k]);
      std::uint32_t value;
      memcpy(&value, part, sizeof value);
      change(value);
      reinterpret_cast<std::uint32_t*>(tile.to)[i] = value;
    }
  }
}

}  // namespace headrace::gpu::cuda
