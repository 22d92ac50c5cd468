#include "service/pipeline/permit.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "tests/service/pipeline/support.hpp"

namespace headrace::pipeline {
namespace {

TEST(Permit, AllOrNothingUpToTheLimit) {
  Budget budget(10);
  auto seven = budget.try_acquire(7);
  ASSERT_TRUE(seven);
  EXPECT_EQ(seven->amount(), 7u);
  EXPECT_FALSE(budget.try_acquire(4));
  EXPECT_EQ(budget.held(), 7u);
  auto three = budget.try_acquire(3);
  EXPECT_TRUE(three);
  EXPECT_EQ(budget.held(), budget.limit());
  EXPECT_TRUE(budget.try_acquire(0)) << "nothing is always to be had";
  EXPECT_FALSE(budget.try_acquire(1));
}

TEST(Permit, HugeAmountsDoNotWrapAround) {
  Budget budget(10);
  const auto one = budget.try_acquire(1);
  EXPECT_FALSE(budget.try_acquire(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_FALSE(budget.try_acquire(std::numeric_limits<std::uint64_t>::max() - 1));
  Budget unlimited(std::numeric_limits<std::uint64_t>::max());
  const auto all = unlimited.try_acquire(std::numeric_limits<std::uint64_t>::max());
  EXPECT_TRUE(all);
  EXPECT_FALSE(unlimited.try_acquire(1));
}

TEST(Permit, GivesItselfBackOnEveryPath) {
  Budget budget(100);
  Permit kept;
  EXPECT_FALSE(kept);
  {
    Permit moved = std::move(*budget.try_acquire(10));
    EXPECT_EQ(budget.held(), 10u);
    kept = std::move(moved);
    EXPECT_FALSE(moved);  // NOLINT(bugprone-use-after-move): what a move leaves is the contract
    EXPECT_EQ(moved.amount(), 0u);
  }
  EXPECT_EQ(budget.held(), 10u) << "moved, not given back";
  kept = std::move(*budget.try_acquire(20));
  EXPECT_EQ(budget.held(), 20u) << "assigned over";
  auto& self = kept;
  kept = std::move(self);
  EXPECT_EQ(kept.amount(), 20u);
  kept = {};
  EXPECT_EQ(budget.held(), 0u);
  kept = std::move(*budget.try_acquire(30));
  kept.reset();
  kept.reset();
  EXPECT_EQ(budget.held(), 0u);
  EXPECT_EQ(budget.held_max(), 30u) << "10 and 20 at once, while the one was assigned over the other";
}

TEST(Permit, ShrinkGivesAPartBack) {
  Budget budget(100);
  {
    auto permit = budget.try_acquire(60);
    permit->shrink(25);
    EXPECT_EQ(permit->amount(), 35u);
    EXPECT_EQ(budget.held(), 35u);
    permit->shrink(35);
    EXPECT_EQ(budget.held(), 0u);
    permit->shrink(0);
  }
  EXPECT_EQ(budget.held(), 0u);
  EXPECT_EQ(budget.held_max(), 60u);
}

TEST(Permit, ThreadsNeverHoldMoreThanTheLimit) {
  constexpr std::uint64_t limit = 100;
  Budget budget(limit);
  std::atomic<std::uint64_t> out{0};
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::minstd_rand random(t + 1);
      std::vector<Permit> held;
      for (std::uint32_t i = 0; i < test::rounds(100'000); ++i) {
        if (auto permit = budget.try_acquire(random() % 40)) {
          EXPECT_LE(out += permit->amount(), limit);
          held.push_back(std::move(*permit));
        }
        if (!held.empty() && random() % 2 == 0) {
          out -= held.back().amount();
          held.pop_back();
        }
      }
      for (const Permit& permit : held) out -= permit.amount();
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(budget.held(), 0u);
  EXPECT_LE(budget.held_max(), limit);
}

}  // namespace
}  // namespace headrace::pipeline
