#include "gpu/staging_ring.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <vector>

#include "tests/support/flight_log.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/puppet_device.hpp"
#include "tests/support/test_batch.hpp"

namespace headrace::gpu {
namespace {

using support::Ending;
using testing::HasSubstr;
using Counts = std::array<std::uint32_t, slot_states>;

constexpr RingOptions small_ring{.slots = 3, .slot_bytes = 64 << 10, .segments_max = 8};

class StagingRingTest : public testing::Test {
 protected:
  StagingRingTest()
      : pool_(device_.allocate_host(1u << 20).value()),
        executable_(device_.compile(support::affine_program(4, 2, 1), 64, small_ring.slot_bytes).value()),
        ring_(StagingRing::open(device_, small_ring).value()),
        batch_(pool_, *executable_, requests_) {
    batch_.fill_floats(7);
  }

  void fly(std::uint32_t slot, std::uint64_t flight) {
    ring_->acquire(slot);
    ring_->submit(slot, batch_.batch(flight), log_);
  }

  std::vector<support::TestRequest> requests_{{3, 0}, {0, 0}, {2, 5}};
  support::PuppetDevice device_;
  HostPool pool_;
  support::FlightLog log_;
  std::unique_ptr<Executable> executable_;
  std::unique_ptr<StagingRing> ring_;
  support::TestBatch batch_;
};

TEST_F(StagingRingTest, ASlotGoesRoundThroughItsFourStates) {
  EXPECT_EQ(ring_->slots(), 3u);
  EXPECT_EQ(ring_->counts(), (Counts{3, 0, 0, 0}));
  ring_->acquire(1);
  EXPECT_EQ(ring_->counts(), (Counts{2, 1, 0, 0}));
  ring_->submit(1, batch_.batch(10), log_);
  EXPECT_EQ(ring_->counts(), (Counts{2, 0, 1, 0}));
  EXPECT_TRUE(device_.complete(10));
  EXPECT_EQ(ring_->counts(), (Counts{2, 0, 0, 1}));
  EXPECT_EQ(log_.notices_of(10), 1u);
  EXPECT_FALSE(log_.result(10).error);
  ring_->release(1);
  EXPECT_EQ(ring_->counts(), (Counts{3, 0, 0, 0}));
}

TEST_F(StagingRingTest, ASlotThatWasNotUsedGoesBack) {
  ring_->acquire(0);
  ring_->release(0);
  EXPECT_EQ(ring_->counts(), (Counts{3, 0, 0, 0}));
}

/// Looks at the ring from inside the notice.
struct Witness final : FlightObserver {
  explicit Witness(StagingRing& watched) : ring(watched) {}
  void on_flight_done(const FlightResult& /*result*/) noexcept override {
    seen = ring.counts();
    ring.release(0);
  }
  StagingRing& ring;
  Counts seen{};
};

TEST_F(StagingRingTest, TheStateIsDoneBeforeTheObserverIsTold) {
  Witness witness(*ring_);
  ring_->acquire(0);
  ring_->submit(0, batch_.batch(1), witness);
  EXPECT_TRUE(device_.complete(1));
  EXPECT_EQ(witness.seen, (Counts{2, 0, 0, 1}));
  EXPECT_EQ(ring_->counts(), (Counts{3, 0, 0, 0}));
}

TEST_F(StagingRingTest, FlightsMayEndInAnyOrder) {
  for (std::uint32_t slot = 0; slot < 3; ++slot) fly(slot, slot + 1);
  ASSERT_TRUE(device_.wait_in_air(3));
  EXPECT_TRUE(device_.complete(3));
  EXPECT_TRUE(device_.complete(1));
  EXPECT_EQ(ring_->counts(), (Counts{0, 0, 1, 2}));
  EXPECT_TRUE(device_.complete(2));
  for (std::uint32_t slot = 0; slot < 3; ++slot) ring_->release(slot);
  EXPECT_EQ(log_.notices(), 3u);
}

TEST_F(StagingRingTest, ADoubleNoticeIsCountedAndDropped) {
  fly(0, 1);
  EXPECT_TRUE(device_.complete(1));
  EXPECT_TRUE(device_.repeat_notice(1));
  EXPECT_EQ(ring_->spurious_notices(), 1u);
  EXPECT_EQ(log_.notices_of(1), 1u);
  ring_->release(0);
  EXPECT_TRUE(device_.repeat_notice(1));
  EXPECT_EQ(ring_->spurious_notices(), 2u);
  EXPECT_EQ(ring_->counts(), (Counts{3, 0, 0, 0}));
}

TEST_F(StagingRingTest, ALateNoticeIsNotTakenForTheNextFlight) {
  fly(0, 1);
  EXPECT_TRUE(device_.complete(1));
  ring_->release(0);
  fly(0, 2);
  EXPECT_TRUE(device_.repeat_notice(1));
  EXPECT_EQ(ring_->spurious_notices(), 1u);
  EXPECT_EQ(ring_->counts(), (Counts{2, 0, 1, 0})) << "flight 2 is still in the air";
  EXPECT_EQ(log_.notices_of(2), 0u);
  EXPECT_TRUE(device_.complete(2));
  EXPECT_EQ(log_.notices_of(2), 1u);
  ring_->release(0);
}

TEST_F(StagingRingTest, OfManyNoticesAtOnceOneCounts) {
  fly(0, 1);
  EXPECT_TRUE(device_.complete(1));
  ring_->release(0);
  for (std::uint64_t flight = 2; flight < 40; ++flight) {
    fly(0, flight);
    std::vector<std::thread> threads;
    threads.emplace_back([&] { device_.complete(flight); });
    threads.emplace_back([&] { device_.repeat_notice(flight); });
    threads.emplace_back([&] { device_.repeat_notice(flight - 1); });
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(log_.notices_of(flight), 1u);
    ring_->release(0);
  }
}

TEST_F(StagingRingTest, AFailureIsHandedOnAndTheSlotIsUsedAgain) {
  fly(2, 1);
  EXPECT_TRUE(device_.complete(1, Ending::launch_failed));
  ASSERT_TRUE(log_.result(1).error);
  EXPECT_EQ(log_.result(1).error->kind, ErrorKind::launch_failed);
  ring_->release(2);
  fly(2, 2);
  EXPECT_TRUE(device_.complete(2));
  EXPECT_FALSE(log_.result(2).error);
  ring_->release(2);
}

TEST_F(StagingRingTest, MayBeClosedUnderFlightsOfALostDevice) {
  fly(0, 1);
  fly(1, 2);
  EXPECT_TRUE(device_.complete(1, Ending::device_lost));
  fly(2, 3);
  EXPECT_EQ(log_.result(3).error->kind, ErrorKind::device_lost) << "answered at once";
  ring_.reset();
  EXPECT_EQ(log_.notices_of(2), 0u);
  EXPECT_TRUE(device_.in_air().empty());
}

TEST_F(StagingRingTest, GivingUpTellsWhatIsInTheAirAndMakesTheDevicesNoticesLate) {
  fly(0, 1);
  fly(1, 2);
  ring_->acquire(2);
  device_.lose();
  ring_->give_up();
  ring_->give_up();
  for (const std::uint64_t flight : {1u, 2u}) {
    ASSERT_EQ(log_.notices_of(flight), 1u);
    EXPECT_EQ(log_.result(flight).error->kind, ErrorKind::device_lost);
  }
  EXPECT_EQ(ring_->counts(), (Counts{0, 1, 0, 2})) << "what is not in the air is left alone";
  EXPECT_TRUE(device_.complete(1, Ending::device_lost));
  EXPECT_TRUE(device_.complete(2, Ending::ok));
  EXPECT_EQ(ring_->spurious_notices(), 2u);
  EXPECT_EQ(log_.notices(), 2u);
  ring_->submit(2, batch_.batch(3), log_);
  EXPECT_EQ(log_.notices_of(3), 1u) << "answered at once";
  for (std::uint32_t slot = 0; slot < 3; ++slot) ring_->release(slot);
}

/// A device with one slot whose submit() does what the test says, and which never tells.
class SilentDevice final : public Device {
 public:
  const DeviceInfo& info() const noexcept override { return info_; }
  Result<HostBlock> allocate_host(std::size_t) override { return fail(ErrorKind::out_of_memory, "none"); }
  Result<std::unique_ptr<Executable>> compile(std::shared_ptr<const Program>, std::uint32_t, std::size_t) override {
    return fail(ErrorKind::invalid_program, "none");
  }
  Result<std::unique_ptr<Slot>> open_slot(std::size_t, std::uint32_t) override {
    return std::make_unique<SilentSlot>(*this);
  }
  bool lost() const noexcept override { return true; }

  std::function<void()> while_submitting;

 private:
  struct SilentSlot final : Slot {
    explicit SilentSlot(SilentDevice& owner) : device(owner) {}
    void submit(const Batch&, FlightObserver&) noexcept override { device.while_submitting(); }
    SilentDevice& device;
  };
  DeviceInfo info_;
};

TEST_F(StagingRingTest, AFlightIsNotGivenUpWhileTheDeviceStillReadsItsBatch) {
  SilentDevice device;
  const auto ring = StagingRing::open(device, {.slots = 1, .slot_bytes = 1, .segments_max = 8}).value();
  std::size_t told_meanwhile = 0;
  device.while_submitting = [&] {
    ring->give_up();
    told_meanwhile = log_.notices();
  };
  ring->acquire(0);
  ring->submit(0, batch_.batch(1), log_);
  EXPECT_EQ(told_meanwhile, 0u);
  EXPECT_EQ(log_.notices_of(1), 1u) << "but when submit() has returned";
  EXPECT_EQ(ring->counts(), (Counts{0, 0, 0, 1}));
  ring->release(0);
}

TEST_F(StagingRingTest, OfGivingUpSubmittingAndTheDevicesNoticeEachFlightHearsOnce) {
  for (std::uint64_t round = 0; round < 300; ++round) {
    support::PuppetDevice device;
    const auto ring = StagingRing::open(device, small_ring).value();
    const std::uint64_t first = 3 * round + 1;
    std::vector<std::thread> threads;
    threads.emplace_back([&] {
      for (std::uint32_t slot = 0; slot < 3; ++slot) {
        ring->acquire(slot);
        ring->submit(slot, batch_.batch(first + slot), log_);
      }
    });
    threads.emplace_back([&] {
      device.lose();
      ring->give_up();
    });
    threads.emplace_back([&] { device.complete(first + 1, Ending::device_lost); });
    for (std::thread& thread : threads) thread.join();
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
      ASSERT_EQ(log_.notices_of(first + slot), 1u) << "round " << round << ", slot " << slot;
      ring->release(slot);
    }
  }
}

TEST_F(StagingRingTest, SaysWhichSlotCouldNotBeOpened) {
  device_.refuse(support::Verb::open_slot, 2);
  const auto ring = StagingRing::open(device_, small_ring);
  ASSERT_FALSE(ring.has_value());
  EXPECT_EQ(ring.error().kind, ErrorKind::out_of_memory);
  EXPECT_THAT(ring.error().message, HasSubstr("slot 3 of 3: "));
}

#ifndef NDEBUG
using StagingRingDeathTest = StagingRingTest;

TEST_F(StagingRingDeathTest, RefusesMovesOutOfOrder) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(ring_->release(0), "");
  EXPECT_DEATH(ring_->submit(0, batch_.batch(1), log_), "");
  ring_->acquire(0);
  EXPECT_DEATH(ring_->acquire(0), "");
  ring_->release(0);
}
#endif

}  // namespace
}  // namespace headrace::gpu
