#include "service/pipeline/free_slots.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>
#include <vector>

namespace headrace::pipeline {
namespace {

TEST(RingLoad, FewerInUseAlwaysGoFirst) {
  constexpr std::uint64_t extremes[] = {0, 1, UINT64_MAX};
  for (const auto work_a : extremes) {
    for (const auto work_b : extremes) {
      for (const auto turn_a : extremes) {
        for (const auto turn_b : extremes) {
          EXPECT_TRUE(ends_sooner({1, work_a, turn_a}, {2, work_b, turn_b}));
          EXPECT_FALSE(ends_sooner({2, work_a, turn_a}, {1, work_b, turn_b}));
        }
      }
    }
  }
}

TEST(RingLoad, ThenLessWorkThenTheLongerTurn) {
  EXPECT_TRUE(ends_sooner({2, 10, 9}, {2, 11, 1}));
  EXPECT_FALSE(ends_sooner({2, 11, 1}, {2, 10, 9}));
  EXPECT_TRUE(ends_sooner({2, 10, 1}, {2, 10, 9}));
  EXPECT_FALSE(ends_sooner({2, 10, 1}, {2, 10, 1}));
}

TEST(FreeSlots, ASingleRingGivesTheSlotThatWasUsedLast) {
  FreeSlots free({3});
  EXPECT_EQ(free.size(), 3u);
  EXPECT_EQ(free.pop().slot, 0u);
  EXPECT_EQ(free.pop().slot, 1u);
  free.push({0, 0});
  EXPECT_EQ(free.pop().slot, 0u);
  EXPECT_EQ(free.pop().slot, 2u);
  EXPECT_TRUE(free.empty());
}

TEST(FreeSlots, EvenRingsTakeTurns) {
  FreeSlots free({2, 2, 2});
  std::vector<std::uint32_t> rings;
  for (int i = 0; i < 6; ++i) rings.push_back(free.pop().ring);
  EXPECT_EQ(rings, (std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2}));
  // One at a time, so that all are even whenever one is chosen.
  FreeSlots idle({2, 2});
  rings.clear();
  for (int i = 0; i < 6; ++i) {
    const auto slot = idle.pop();
    rings.push_back(slot.ring);
    idle.push(slot);
  }
  EXPECT_EQ(rings, (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1}));
}

TEST(FreeSlots, OfEvenRingsTheOneWithLessWorkComesFirst) {
  FreeSlots free({4, 4});
  EXPECT_EQ(free.pop().ring, 0u);
  EXPECT_EQ(free.pop().ring, 1u);
  free.work(0) += 10'000;
  free.work(1) += 1'000;
  EXPECT_EQ(free.pop().ring, 1u) << "although it was the other one's turn";
  EXPECT_EQ(free.pop().ring, 0u) << "fewer in use, whatever their work";
  free.work(0) -= 10'000;
  free.work(1) -= 1'000;
  EXPECT_EQ(free.pop().ring, 1u) << "even again: the longer turn";
}

TEST(FreeSlots, AFullRingIsPassedOver) {
  FreeSlots free({1, 3});
  EXPECT_EQ(free.pop().ring, 0u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(free.pop().ring, 1u);
  EXPECT_TRUE(free.empty());
}

TEST(FreeSlots, ARetiredRingsSlotsVanish) {
  FreeSlots free({2, 2});
  const auto in_hand = free.pop();
  ASSERT_EQ(in_hand.ring, 0u);
  free.retire(0);
  EXPECT_EQ(free.size(), 2u);
  free.push(in_hand);
  EXPECT_EQ(free.size(), 2u);
  free.retire(0);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(free.pop().ring, 1u);
  free.retire(1);
  EXPECT_TRUE(free.empty());
  free.push({1, 0});
  EXPECT_TRUE(free.empty());
}

TEST(FreeSlots, WhateverHappensNoneIsFewerInUseThanTheChosenAndNoneIsGivenTwice) {
  std::minstd_rand random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint32_t> slots(random() % 4 + 1);
    for (auto& count : slots) count = static_cast<std::uint32_t>(random() % 5 + 1);
    FreeSlots free(slots);
    std::vector<SlotRef> held;
    std::vector<std::uint32_t> in_use(slots.size());
    std::set<std::pair<std::uint32_t, std::uint32_t>> out;
    for (int step = 0; step < 200; ++step) {
      free.work(static_cast<std::uint32_t>(random() % slots.size())) = random() % 1'000;
      if (!held.empty() && (free.empty() || random() % 2 == 0)) {
        const std::size_t at = random() % held.size();
        std::swap(held[at], held.back());
        free.push(held.back());
        out.erase({held.back().ring, held.back().slot});
        --in_use[held.back().ring];
        held.pop_back();
      } else {
        const auto slot = free.pop();
        for (std::size_t r = 0; r < slots.size(); ++r) {
          ASSERT_TRUE(in_use[r] == slots[r] || in_use[slot.ring] <= in_use[r]);
        }
        ASSERT_LT(slot.slot, slots[slot.ring]);
        ASSERT_TRUE(out.emplace(slot.ring, slot.slot).second);
        ++in_use[slot.ring];
        held.push_back(slot);
      }
    }
  }
}

}  // namespace
}  // namespace headrace::pipeline
