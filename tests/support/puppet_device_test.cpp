#include "tests/support/puppet_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "gpu/host_pool.hpp"
#include "tests/support/flight_log.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/test_batch.hpp"

namespace headrace::support {
namespace {

constexpr std::size_t slot_bytes = 64 << 10;

class PuppetDeviceTest : public testing::Test {
 protected:
  PuppetDeviceTest()
      : pool_(device_.allocate_host(1u << 20).value()),
        executable_(device_.compile(affine_program(4, 2, 1), 64, slot_bytes).value()) {
    for (int i = 0; i < 3; ++i) {
      slots_.push_back(device_.open_slot(slot_bytes, 8).value());
      batches_.push_back(std::make_unique<TestBatch>(pool_, *executable_, std::vector<TestRequest>{{3, 0}, {2, 5}}));
      batches_.back()->fill_floats(static_cast<std::uint64_t>(i));
    }
  }

  /// Flight i + 1 on slot i.
  void submit_all() {
    for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i]->submit(batches_[i]->batch(i + 1), log_);
  }

  bool is_answered(std::size_t i) const {
    const auto in = batches_[i]->input_floats(0);
    const auto out = batches_[i]->output_floats(0);
    for (std::size_t j = 0; j < in.size(); ++j) {
      if (out[j] != 2 * in[j] + 1) return false;
    }
    return true;
  }

  PuppetDevice device_;
  gpu::HostPool pool_;
  FlightLog log_;
  std::unique_ptr<gpu::Executable> executable_;
  std::vector<std::unique_ptr<gpu::Slot>> slots_;
  std::vector<std::unique_ptr<TestBatch>> batches_;
};

TEST_F(PuppetDeviceTest, HoldsFlightsUntilTold) {
  submit_all();
  ASSERT_TRUE(device_.wait_in_air(3));
  EXPECT_EQ(log_.notices(), 0u);
  EXPECT_FALSE(is_answered(0));
  const auto in_air = device_.in_air();
  ASSERT_EQ(in_air.size(), 3u);
  EXPECT_EQ(in_air[1].flight, 2u);
  EXPECT_EQ(in_air[1].rows, 5u);
  EXPECT_EQ(in_air[1].segments, 2u);
  EXPECT_EQ(device_.complete_all(), 3u);
  EXPECT_EQ(device_.submitted(), 3u);
}

TEST_F(PuppetDeviceTest, ALaunchFailureLeavesTheOthersAlone) {
  submit_all();
  EXPECT_TRUE(device_.complete(2, Ending::launch_failed));
  EXPECT_TRUE(device_.complete(3));
  EXPECT_TRUE(device_.complete(1));
  ASSERT_TRUE(log_.result(2).error);
  EXPECT_EQ(log_.result(2).error->kind, gpu::ErrorKind::launch_failed);
  EXPECT_FALSE(is_answered(1));
  for (const std::size_t well : {0u, 2u}) {
    EXPECT_FALSE(log_.result(well + 1).error);
    EXPECT_TRUE(is_answered(well));
  }
  EXPECT_FALSE(device_.lost());
  slots_[1]->submit(batches_[1]->batch(20), log_);
  EXPECT_TRUE(device_.complete(20));
  EXPECT_TRUE(is_answered(1));
}

TEST_F(PuppetDeviceTest, ALostDeviceAnswersEverythingLater) {
  submit_all();
  EXPECT_TRUE(device_.complete(1, Ending::device_lost));
  EXPECT_TRUE(device_.lost());
  EXPECT_EQ(log_.notices(), 1u) << "the others are still the test's to end";
  EXPECT_EQ(device_.complete_all(Ending::device_lost), 2u);
  slots_[0]->submit(batches_[0]->batch(9), log_);
  EXPECT_EQ(log_.result(9).error->kind, gpu::ErrorKind::device_lost);
}

TEST_F(PuppetDeviceTest, KnowsOnlyFlightsThatThereAre) {
  EXPECT_FALSE(device_.complete(1));
  EXPECT_FALSE(device_.complete_first());
  EXPECT_FALSE(device_.repeat_notice(1));
}

TEST_F(PuppetDeviceTest, CanFlyByItself) {
  submit_all();
  device_.set_auto_complete(true);
  ASSERT_TRUE(log_.wait_for(3));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(is_answered(i));
}

TEST_F(PuppetDeviceTest, ReportsTheStageTimesItWasGiven) {
  using std::chrono::microseconds;
  device_.set_stage_times(gpu::StageTimes{microseconds(1), microseconds(2), microseconds(3), microseconds(4)});
  submit_all();
  device_.complete_all();
  EXPECT_EQ(log_.result(1).times.h2d, microseconds(2));
  EXPECT_EQ(log_.result(1).times.d2h, microseconds(4));
}

TEST_F(PuppetDeviceTest, VerbsFailAfterTheCallsThatWereGranted) {
  device_.refuse(Verb::allocate_host, 1);
  EXPECT_TRUE(device_.allocate_host(256).has_value());
  const auto refused = device_.allocate_host(256);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, gpu::ErrorKind::out_of_memory);
  device_.refuse(Verb::compile);
  EXPECT_FALSE(device_.compile(affine_program(4, 2, 1), 64, slot_bytes).has_value());
  device_.accept(Verb::compile);
  EXPECT_TRUE(device_.compile(affine_program(4, 2, 1), 64, slot_bytes).has_value());
}

}  // namespace
}  // namespace headrace::support
