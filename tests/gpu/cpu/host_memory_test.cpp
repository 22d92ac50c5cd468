#include "gpu/cpu/host_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>

namespace headrace::gpu::cpu {
namespace {

TEST(HostMemory, IsAlignedAndZeroed) {
  for (const std::size_t bytes : {1u, 256u, 4'096u, 100'001u}) {
    const auto block = allocate_pages(bytes);
    ASSERT_TRUE(block.has_value());
    EXPECT_EQ(block->bytes(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block->data()) % host_alignment_bytes, 0u);
    EXPECT_EQ(block->data()[0], std::byte{0});
    EXPECT_EQ(block->data()[bytes - 1], std::byte{0});
  }
}

TEST(HostMemory, NothingIsAnEmptyBlock) {
  const auto block = allocate_pages(0);
  ASSERT_TRUE(block.has_value());
  EXPECT_EQ(block->data(), nullptr);
  EXPECT_EQ(block->bytes(), 0u);
}

TEST(HostMemory, SaysWhatWasAsked) {
  const std::size_t bytes = std::numeric_limits<std::size_t>::max() / 2;
  const auto block = allocate_pages(bytes);
  ASSERT_FALSE(block.has_value());
  EXPECT_EQ(block.error().kind, ErrorKind::out_of_memory);
  EXPECT_THAT(block.error().message, testing::HasSubstr(std::to_string(bytes)));
}

TEST(HostBlock, GivesItsMemoryBackOnceWhateverIsMoved) {
  int freed = 0;
  std::byte byte{};
  const auto count = [](void* context, std::byte*, std::size_t) noexcept { ++*static_cast<int*>(context); };
  {
    HostBlock first(&byte, 1, count, &freed);
    HostBlock second(std::move(first));
    HostBlock third;
    third = std::move(second);
    EXPECT_EQ(third.data(), &byte);
    EXPECT_EQ(freed, 0);
  }
  EXPECT_EQ(freed, 1);
}

TEST(HostBlock, AnAbandonedOneIsNeverGivenBack) {
  int freed = 0;
  std::byte byte{};
  const auto count = [](void* context, std::byte*, std::size_t) noexcept { ++*static_cast<int*>(context); };
  {
    HostBlock block(&byte, 1, count, &freed);
    block.abandon();
  }
  EXPECT_EQ(freed, 0);
}

}  // namespace
}  // namespace headrace::gpu::cpu
