#include "service/pipeline/slots.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/service/pipeline/rig.hpp"

namespace headrace::pipeline {
namespace {

using support::Ending;

TEST(Slots, AllAreFreeAtTheStart) {
  test::Rig rig({.slots = 3, .devices = 2});
  EXPECT_EQ(rig.slots->rings(), 2u);
  EXPECT_EQ(rig.slots->total(), 6u);
  EXPECT_EQ(rig.free_slots(), 6u);
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  std::vector<SlotRef> taken;
  while (auto slot = rig.slots->free().try_pop()) {
    rig.slots->ring(slot->ring).acquire(slot->slot);
    seen.emplace(slot->ring, slot->slot);
    taken.push_back(*slot);
  }
  EXPECT_EQ(seen.size(), 6u);
  for (const auto slot : taken) rig.slots->give_back(slot);
  EXPECT_EQ(rig.free_slots(), 6u);
}

TEST(Slots, TheSmallestRingBoundsABatch) {
  support::PuppetDevice device;
  std::vector<std::unique_ptr<gpu::StagingRing>> rings;
  for (const std::uint32_t segments : {9u, 5u, 7u}) {
    rings.push_back(
        std::move(gpu::StagingRing::open(device, {.slots = 1, .slot_bytes = 4096, .segments_max = segments}).value()));
  }
  EXPECT_EQ(Slots(std::move(rings)).segments_max(), 5u);
}

TEST(Slots, ALostDeviceTakesNoMoreWhileAnotherLives) {
  test::Rig rig({.slots = 1, .devices = 2});
  rig.checks_memory = false;
  auto& first = *rig.devices[0];
  auto& second = *rig.devices[1];
  const auto a = rig.send({});
  rig.settle();
  const auto b = rig.send({});
  rig.settle();
  ASSERT_EQ(first.in_air().size(), 1u);
  ASSERT_EQ(second.in_air().size(), 1u);
  first.complete_first(Ending::device_lost);
  EXPECT_FALSE(rig.slots->lost());
  EXPECT_EQ(rig.free_slots(), 0u) << "its slot is out of use";
  const auto waiting = rig.send({});
  rig.settle();
  EXPECT_EQ(first.submitted(), 1u);
  second.complete_first();
  rig.settle();
  EXPECT_EQ(second.in_air().size(), 1u) << "the living one goes on";
  second.complete_first(Ending::device_lost);
  EXPECT_TRUE(rig.slots->lost());
  EXPECT_EQ(rig.free_slots(), 0u);
  EXPECT_TRUE(rig.slots->free().closed()) << "who waits for one learns that none will come";
}

}  // namespace
}  // namespace headrace::pipeline
