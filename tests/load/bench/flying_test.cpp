// That a measurement measures flights that are right, and ends with every slot home whatever comes of them.

#include "load/bench/flying.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include "load/bench/rig.hpp"
#include "tests/support/puppet_device.hpp"

namespace headrace::bench {
namespace {

constexpr BatchShape shape{.requests = 3, .rows = 2};
constexpr std::uint32_t slots = 2;

std::size_t arena_bytes(const gpu::Program& program) { return slots * pool_bytes(program, shape); }

TEST(Flying, OneAtATimeCountsEveryFlight) {
  const auto program = affine_program(16);
  const Rig rig("cpu", {}, arena_bytes(*program));
  const Stand stand(rig, program, shape, slots);
  const auto samples = fly_one_at_a_time(stand.ring(), stand.first(), {.seconds = 0, .flights_min = 7});
  EXPECT_EQ(samples.notice_us.size(), 7u);
  EXPECT_EQ(samples.submit_us.size(), 7u);
  EXPECT_EQ(stand.ring().counts()[static_cast<std::size_t>(gpu::SlotState::free)], slots);
}

TEST(Flying, AnAttendedFlightIsSeenToo) {
  const auto program = affine_program(16);
  const Rig rig("cpu", {}, arena_bytes(*program));
  const Stand stand(rig, program, shape, slots);
  const Pace pace{.seconds = 0, .flights_min = 7, .attended = true};
  EXPECT_EQ(fly_one_at_a_time(stand.ring(), stand.first(), pace).notice_us.size(), 7u);
}

TEST(Flying, AllSlotsComeHome) {
  const auto program = classifier_program();
  const Rig rig("cpu", {}, arena_bytes(*program));
  const Stand stand(rig, program, shape, slots);
  EXPECT_GT(fly_all_slots(stand.ring(), stand.sets(), 0.001), 0);
  EXPECT_EQ(stand.ring().counts()[static_cast<std::size_t>(gpu::SlotState::free)], slots);
}

TEST(Flying, RowsThatNobodyWroteAreSeen) {
  const auto program = affine_program(16);
  const Rig rig("cpu", {}, arena_bytes(*program));
  const Stand stand(rig, program, shape, slots);
  EXPECT_THROW(stand.first().check_answers(), std::runtime_error);
  fly_one_at_a_time(stand.ring(), stand.first(), {.seconds = 0, .flights_min = 1});
  EXPECT_NO_THROW(stand.first().check_answers());
}

TEST(Flying, AFailedFlightEndsTheMeasurementWithEverySlotHome) {
  const auto program = affine_program(16);
  auto device = std::make_unique<support::PuppetDevice>();
  support::PuppetDevice& puppet = *device;
  const Rig rig(std::move(device), arena_bytes(*program));
  const Stand stand(rig, program, shape, slots);
  std::jthread director([&puppet] {
    ASSERT_TRUE(puppet.wait_in_air(slots));
    puppet.complete_first(support::Ending::launch_failed);
    ASSERT_TRUE(puppet.wait_submitted(slots + 1));  // that slot has taken off again
    puppet.complete_all();
  });
  EXPECT_THROW(fly_all_slots(stand.ring(), stand.sets(), 1), std::runtime_error);
  EXPECT_EQ(stand.ring().counts()[static_cast<std::size_t>(gpu::SlotState::free)], slots);
}

}  // namespace
}  // namespace headrace::bench
