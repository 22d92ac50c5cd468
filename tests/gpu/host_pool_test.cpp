#include "gpu/host_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "gpu/cpu/host_memory.hpp"
#include "gpu/ops/generated.hpp"

namespace headrace::gpu {
namespace {

HostBlock arena(std::size_t bytes) {
  auto block = cpu::allocate_pages(bytes);
  EXPECT_TRUE(block.has_value());
  return std::move(*block);
}

/// Counts how often its memory is given back.
struct CountedArena {
  explicit CountedArena(std::size_t bytes) : memory(arena(bytes)) {}
  HostBlock block() {
    return HostBlock(
        memory.data(), memory.bytes(),
        [](void* context, std::byte*, std::size_t) noexcept { ++static_cast<CountedArena*>(context)->freed; }, this);
  }
  HostBlock memory;
  int freed = 0;
};

TEST(HostPool, ChargesTheNextPowerOfTwo) {
  EXPECT_EQ(HostPool::class_bytes(0), 256u);
  EXPECT_EQ(HostPool::class_bytes(1), 256u);
  EXPECT_EQ(HostPool::class_bytes(256), 256u);
  EXPECT_EQ(HostPool::class_bytes(257), 512u);
  EXPECT_EQ(HostPool::class_bytes((1u << 20) + 1), 2u << 20);
  EXPECT_EQ(HostPool::class_bytes(std::size_t{1} << 63), std::size_t{1} << 63);
  EXPECT_EQ(HostPool::class_bytes(std::numeric_limits<std::size_t>::max()), std::numeric_limits<std::size_t>::max());
}

TEST(HostPool, AccountsByClassSizeAndAlignsEveryBuffer) {
  HostPool pool(arena(1u << 20));
  EXPECT_EQ(pool.bytes_total(), 1u << 20);
  EXPECT_EQ(pool.class_bytes_max(), 1u << 20);
  const HostBuffer small = pool.take(1);
  const HostBuffer large = pool.take(70'000);
  ASSERT_TRUE(small);
  ASSERT_TRUE(large);
  EXPECT_EQ(small.capacity(), 256u);
  EXPECT_EQ(large.capacity(), 131'072u);
  EXPECT_EQ(pool.bytes_held(), 256u + 131'072u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(small.data()) % host_alignment_bytes, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large.data()) % host_alignment_bytes, 0u);
}

TEST(HostPool, RefusesWhatDoesNotFitAndStaysWhole) {
  HostPool pool(arena(4096));
  EXPECT_FALSE(pool.take(4097));
  EXPECT_FALSE(pool.take(std::numeric_limits<std::size_t>::max()));
  HostBuffer all = pool.take(4096);
  EXPECT_TRUE(all);
  EXPECT_FALSE(pool.take(1));
  all.reset();
  EXPECT_EQ(pool.bytes_held(), 0u);
  EXPECT_TRUE(pool.take(4096));
}

TEST(HostPool, AnEmptyArenaHandsOutNothing) {
  HostPool pool{HostBlock{}};
  EXPECT_EQ(pool.bytes_total(), 0u);
  EXPECT_EQ(pool.class_bytes_max(), 0u);
  EXPECT_FALSE(pool.take(0));
}

TEST(HostPool, OddArenaSizesAreUsedUpToTheLastUnit) {
  for (const std::size_t bytes : {256u, 300u, 511u, 768u, 5'000u, 65'537u, 1'000'000u}) {
    HostPool pool(arena(bytes));
    EXPECT_EQ(pool.bytes_total(), bytes / 256 * 256);
    std::vector<HostBuffer> units;
    while (auto buffer = pool.take(1)) units.push_back(std::move(buffer));
    EXPECT_EQ(units.size(), bytes / 256);
    EXPECT_EQ(pool.bytes_held(), pool.bytes_total());
    units.clear();
    EXPECT_TRUE(pool.take(pool.class_bytes_max())) << bytes;
  }
}

TEST(HostPool, MovingABufferMovesTheDuty) {
  HostPool pool(arena(4096));
  HostBuffer first = pool.take(256);
  std::byte* const data = first.data();
  HostBuffer second = std::move(first);
  EXPECT_EQ(second.data(), data);
  HostBuffer third = pool.take(512);
  third = std::move(second);
  EXPECT_EQ(third.data(), data);
  EXPECT_EQ(pool.bytes_held(), 256u) << "what third held before is back";
  third.reset();
  third.reset();
  EXPECT_EQ(pool.bytes_held(), 0u);
}

TEST(HostPool, AnAbandonedBufferKeepsTheArenaAlive) {
  CountedArena memory(4096);
  {
    HostPool pool(memory.block());
    HostBuffer buffer = pool.take(1024);
    buffer.abandon();
    EXPECT_FALSE(buffer);
    EXPECT_EQ(pool.bytes_abandoned(), 1024u);
    EXPECT_EQ(pool.bytes_held(), 1024u);
    EXPECT_FALSE(pool.take(4096)) << "its block is never reused";
    EXPECT_TRUE(pool.take(2048));
  }
  EXPECT_EQ(memory.freed, 0);
}

TEST(HostPool, GivesTheArenaBackWhenAllBuffersAreBack) {
  CountedArena memory(4096);
  {
    HostPool pool(memory.block());
    const HostBuffer buffer = pool.take(1024);
  }
  EXPECT_EQ(memory.freed, 1);
}

/// Takes, marks, checks and gives back; a second owner of the same bytes would overwrite the mark.
void work_on(HostPool& pool, std::byte mark) {
  Generator generator(static_cast<std::uint64_t>(mark));
  std::vector<HostBuffer> held;
  for (int i = 0; i < 3'000; ++i) {
    if (generator.bits() % 3 != 0 || held.empty()) {
      HostBuffer buffer = pool.take(std::size_t{1} << generator.bits() % 14);
      if (!buffer) continue;
      std::fill_n(buffer.data(), buffer.capacity(), mark);
      held.push_back(std::move(buffer));
    } else {
      std::swap(held[generator.bits() % held.size()], held.back());
      const HostBuffer& last = held.back();
      ASSERT_EQ(std::count(last.data(), last.data() + last.capacity(), mark),
                static_cast<std::ptrdiff_t>(last.capacity()));
      held.pop_back();
    }
  }
}

TEST(HostPool, WhatOtherThreadsGaveBackMergesWhenItIsNeeded) {
  HostPool pool(arena(64u << 20));
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&pool] {
      std::vector<HostBuffer> held;
      for (std::size_t bytes = 256; bytes <= 65'536; bytes *= 2) {
        for (int k = 0; k < 40; ++k) held.push_back(pool.take(bytes));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pool.bytes_held(), 0u);
  EXPECT_TRUE(pool.take(pool.class_bytes_max()));
}

TEST(HostPool, ManyThreadsNeverShareABlock) {
  HostPool pool(arena((4u << 20) + 256 * 1'001));
  std::vector<std::thread> threads;
  for (int i = 1; i <= 4; ++i) threads.emplace_back([&pool, i] { work_on(pool, static_cast<std::byte>(i)); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pool.bytes_held(), 0u);
  EXPECT_EQ(pool.class_bytes_max(), 4u << 20);
  EXPECT_TRUE(pool.take(pool.class_bytes_max())) << "everything has merged back";
}

}  // namespace
}  // namespace headrace::gpu
