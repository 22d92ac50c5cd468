// A flight under a profiler: each stage is a range that names model and slot, and the rows come back right although
// they are then launched kernel by kernel.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/cuda/cuda_devices.hpp"
#include "gpu/cuda/trace.hpp"
#include "gpu/host_pool.hpp"
#include "tests/gpu/cuda/nvtx_record.hpp"
#include "tests/support/flight_log.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/test_batch.hpp"

namespace headrace::gpu {
namespace {

using support::FlightLog;
using support::NvtxRecord;
using support::TestBatch;
using support::TestRequest;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

std::shared_ptr<const Program> named_program(std::string name, std::vector<StepSpec> steps) {
  ProgramSpec spec;
  spec.inputs.push_back({"x", support::fp32_row({64})});
  spec.steps = std::move(steps);
  spec.output_names.emplace_back("y");
  spec.name = std::move(name);
  return Program::build(std::move(spec)).value();
}

StepSpec affine() { return {"affine", {{"scale", 2.0}, {"shift", 1.0}}}; }
StepSpec linear() { return {"linear", {{"weight", support::fp32_weight({32, 64}, 1)}}}; }

/// The slot is the device's first, so its number is 0.
void fly(std::shared_ptr<const Program> program, Transfer transfer) {
  const auto device = open_cuda_device(0, {.transfer = transfer}).value();
  HostPool pool(device->allocate_host(4u << 20).value());
  const auto slot = device->open_slot(1u << 20, 16).value();
  const auto executable = device->compile(std::move(program), 1024, 1u << 20).value();
  TestBatch batch(pool, *executable, std::vector<TestRequest>{{50, 0}, {7, 4}});
  batch.fill_floats(1);
  FlightLog log;
  slot->submit(batch.batch(1), log);
  ASSERT_TRUE(log.wait_for_flight(1));
  const FlightResult result = log.result(1);
  ASSERT_FALSE(result.error) << result.error->message;
  EXPECT_EQ(result.transfer, transfer);
  EXPECT_TRUE(batch.guards_are_whole());
  for (std::size_t request = 0; request < batch.requests(); ++request) {
    const std::vector<float> in = batch.input_floats(request);
    const std::vector<float> out = batch.output_floats(request);
    const std::size_t out_columns = out.size() / batch.rows(request);
    for (std::size_t row = 0; row < batch.rows(request); ++row) {
      const std::vector<double> first(in.begin() + static_cast<std::ptrdiff_t>(row * 64),
                                      in.begin() + static_cast<std::ptrdiff_t>((row + 1) * 64));
      const std::vector<double> expected = support::reference_row(executable->program(), first);
      for (std::size_t i = 0; i < out_columns; ++i) ASSERT_NEAR(out[row * out_columns + i], expected[i], 1e-3);
    }
  }
}

/// The ranges of the flight that is not a warm-up.
std::vector<std::string> ranges_of_slot_0(const NvtxRecord& record) {
  std::vector<std::string> found;
  for (const auto& [thread, ranges] : record.ranges) {
    for (const std::string& range : ranges) {
      if (range.ends_with(" · slot 0")) found.push_back(range);
    }
  }
  return found;
}

class FlightTrace : public testing::TestWithParam<Transfer> {
 protected:
  void SetUp() override {
    std::string why_none;
    if (cuda_device_count(why_none) == 0) GTEST_SKIP() << why_none;
  }
};

TEST_P(FlightTrace, EachStageIsARange) {
  if (support::in_child()) {
    EXPECT_TRUE(cuda::trace::is_on());
    return fly(named_program("mlp-é", {affine(), linear(), affine()}), GetParam());
  }
  const NvtxRecord record = support::record_this_test();
  EXPECT_EQ(record.exit_status, 0);
  EXPECT_THAT(record.domains, Contains("headrace"));
  EXPECT_THAT(record.faults, IsEmpty());
  EXPECT_THAT(ranges_of_slot_0(record), ElementsAre("submit · mlp-é · slot 0", "  h2d · mlp-é · slot 0",
                                                    "  kernel · mlp-é · slot 0", "  d2h · mlp-é · slot 0"));
}

// One kernel reads, computes and writes where the steps are element-wise and the rows stay where they are.
TEST_P(FlightTrace, APassIsOneKernel) {
  if (support::in_child()) return fly(named_program("x2", {affine()}), GetParam());
  const NvtxRecord record = support::record_this_test();
  EXPECT_EQ(record.exit_status, 0);
  EXPECT_THAT(record.faults, IsEmpty());
  const std::vector<std::string> ranges = ranges_of_slot_0(record);
  if (GetParam() == Transfer::in_place) {
    EXPECT_THAT(ranges, ElementsAre("submit · x2 · slot 0", "  kernel · x2 · slot 0"));
    return;
  }
  EXPECT_THAT(ranges, ElementsAre("submit · x2 · slot 0", "  h2d · x2 · slot 0", "  kernel · x2 · slot 0",
                                  "  d2h · x2 · slot 0"));
}

INSTANTIATE_TEST_SUITE_P(Ways, FlightTrace, testing::Values(Transfer::in_place, Transfer::copy_engines),
                         [](const testing::TestParamInfo<Transfer>& way) {
                           return way.param == Transfer::in_place ? "in_place" : "copy_engines";
                         });

}  // namespace
}  // namespace headrace::gpu
