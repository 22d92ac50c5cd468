// What only the CUDA device has: memory that runs out, stage times, sizes that take more than one pass of a grid.

#include "gpu/cuda/cuda_devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpu/host_pool.hpp"
#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/conformance.hpp"
#include "tests/support/flight_log.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/test_batch.hpp"

namespace headrace::gpu {
namespace {

using support::FlightLog;
using support::TestBatch;
using support::TestRequest;
using testing::HasSubstr;
using Requests = std::vector<TestRequest>;

TEST(CudaDevices, AMissingDeviceHasAReason) {
  std::string why_none;
  const int count = cuda_device_count(why_none);
  EXPECT_EQ(count == 0, !why_none.empty());
  const auto beyond = open_cuda_device(count);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().kind, ErrorKind::unavailable);
  EXPECT_FALSE(beyond.error().message.empty());
}

class CudaDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_none;
    if (cuda_device_count(why_none) == 0) GTEST_SKIP() << why_none;
    device_ = open_cuda_device(0).value();
    pool_ = std::make_unique<HostPool>(device_->allocate_host(256u << 20).value());
  }

  FlightResult fly(Slot& slot, const TestBatch& batch) {
    FlightLog log;
    slot.submit(batch.batch(1), log);
    EXPECT_TRUE(log.wait_for(1));
    return log.result(1);
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<HostPool> pool_;
};

TEST_F(CudaDeviceTest, TellsWhatItIs) {
  const DeviceInfo& info = device_->info();
  EXPECT_EQ(info.kind, DeviceKind::cuda);
  EXPECT_EQ(info.label, "cuda:0");
  EXPECT_FALSE(info.name.empty());
  EXPECT_GT(info.memory_bytes_total, 0u);
  EXPECT_TRUE(info.has_copy_stages);
}

TEST_F(CudaDeviceTest, OutOfMemoryNamesAskedFreeAndLimit) {
  const auto slot = device_->open_slot(std::size_t{1} << 50, 16);
  ASSERT_FALSE(slot);
  EXPECT_EQ(slot.error().kind, ErrorKind::out_of_memory) << slot.error().message;
  EXPECT_THAT(slot.error().message, HasSubstr("slot_bytes"));
  EXPECT_THAT(slot.error().message, HasSubstr("asked for 1125899906842624 bytes, free "));
  EXPECT_THAT(slot.error().message, HasSubstr(", limit "));
  EXPECT_FALSE(device_->lost());
  EXPECT_TRUE(device_->open_slot(1 << 20, 16)) << "the device goes on";
}

TEST_F(CudaDeviceTest, MeasuresItsStages) {
  const auto slot = device_->open_slot(4u << 20, 16).value();
  const auto executable = device_->compile(support::classifier_program(), 4096, 4u << 20).value();
  TestBatch batch(*pool_, *executable, Requests{{1000, 0}, {500, 4}});
  batch.fill_floats(1);
  const FlightResult result = fly(*slot, batch);
  ASSERT_FALSE(result.error) << result.error->message;
  EXPECT_GT(result.times.pack.count(), 0);
  EXPECT_GT(result.times.h2d.count(), 0);
  EXPECT_GT(result.times.kernel.count(), 0);
  EXPECT_GT(result.times.d2h.count(), 0);
}

TEST_F(CudaDeviceTest, RefusesABatchThatTheSlotDoesNotHoldAndGoesOn) {
  const auto small = device_->open_slot(1024, 2).value();
  const auto executable = device_->compile(support::affine_program(64, 2, 1), 4096, 1u << 20).value();
  TestBatch too_large(*pool_, *executable, Requests{{5, 0}});
  too_large.fill_floats(1);
  const FlightResult refused = fly(*small, too_large);
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(refused.error->kind, ErrorKind::launch_failed);
  EXPECT_THAT(refused.error->message, HasSubstr("1024 bytes, got 5 rows of up to 256 bytes"));

  TestBatch too_many(*pool_, *executable, Requests{{1, 0}, {1, 0}, {1, 0}});
  too_many.fill_floats(1);
  EXPECT_THAT(fly(*small, too_many).error->message, HasSubstr("expected at most 2 requests, got 3"));

  TestBatch fits(*pool_, *executable, Requests{{2, 0}, {2, 0}});
  fits.fill_floats(1);
  EXPECT_FALSE(fly(*small, fits).error);
}

/// Rows enough that every kernel's grid goes round more than once, against the reference of a few rows spread over
/// them.
void expect_reference(Device& device, HostPool& pool, std::unique_ptr<const Step> step, std::uint32_t rows) {
  const auto executable = device.compile(Program::of(std::move(step)), rows, std::size_t{1} << 40).value();
  const auto slot = device.open_slot(rows * executable->program().widest_row_bytes(), 16).value();
  const Step& bound = *executable->program().steps().front();
  TestBatch batch(pool, *executable, Requests{{rows - rows / 3, 0}, {rows / 3, 3}});
  for (std::size_t i = 0; i < batch.requests(); ++i) {
    Generator generator(i);
    fill_rows(bound.input(), RowKind::random, generator, batch.input(i));
  }
  FlightLog log;
  slot->submit(batch.batch(1), log);
  ASSERT_TRUE(log.wait_for(1));
  ASSERT_FALSE(log.result(1).error) << log.result(1).error->message;
  EXPECT_TRUE(batch.guards_are_whole());
  for (std::size_t i = 0; i < batch.requests(); ++i) {
    for (std::uint32_t row = 0; row < batch.rows(i); row += 1 + batch.rows(i) / 50) {
      const auto in = batch.input(i).subspan(row * bound.input().row_bytes(), bound.input().row_bytes());
      const auto out = batch.output(i).subspan(row * bound.output().row_bytes(), bound.output().row_bytes());
      const auto mismatch = find_mismatch(bound, in, out, 1);
      ASSERT_FALSE(mismatch) << "request " << i << ", row " << row << ": " << *mismatch;
    }
  }
}

std::unique_ptr<const Step> bound_step(TensorType input, StepSpec spec) {
  return find_operator(spec.op)->bind(spec, input).value();
}

TEST_F(CudaDeviceTest, LargeElementWiseBatch) {
  expect_reference(*device_, *pool_,
                   bound_step(support::fp32_row({4096}), {"affine", {{"scale", 2.0}, {"shift", 1.0}}}), 2000);
}

TEST_F(CudaDeviceTest, LargeLinearBatch) {
  const auto weight = support::fp32_weight({333, 515}, 1);
  const auto bias = support::fp32_weight({333}, 2);
  expect_reference(*device_, *pool_,
                   bound_step(support::fp32_row({515}), {"linear", {{"weight", weight}, {"bias", bias}}}), 3001);
}

TEST_F(CudaDeviceTest, LargeSoftmaxBatches) {
  expect_reference(*device_, *pool_, bound_step(support::fp32_row({10}), {"softmax", {}}), 200001);
  expect_reference(*device_, *pool_, bound_step(support::fp32_row({1025}), {"softmax", {}}), 17000);
}

}  // namespace
}  // namespace headrace::gpu
