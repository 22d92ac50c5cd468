// A flight in the air for longer than the limit is a sticky fault: nothing else ends a kernel that never does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "gpu/cuda/cuda_devices.hpp"
#include "gpu/host_pool.hpp"
#include "tests/support/flight_log.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/test_batch.hpp"

namespace headrace::gpu {
namespace {

using support::FlightLog;
using support::TestBatch;
using support::TestRequest;
using testing::HasSubstr;

constexpr std::chrono::milliseconds limit{1};
// 125 MiB each way take 4 ms on PCIe Gen5, and 34 GFLOP of FP32 stand between them. The warm-up, which the limit holds
// for as well, has three rows.
constexpr std::int64_t columns = 512;
constexpr std::uint32_t rows = 64'000;
constexpr std::size_t batch_bytes = rows * columns * sizeof(float);
constexpr std::size_t slot_bytes = std::size_t{128} << 20;

class FlightLimit : public testing::TestWithParam<Transfer> {
 protected:
  void SetUp() override {
    std::string why_none;
    if (cuda_device_count(why_none) == 0) GTEST_SKIP() << why_none;
  }
};

TEST_P(FlightLimit, EndsTheDeviceAndEverythingCloses) {
  const auto device = open_cuda_device(0, {.transfer = GetParam(), .flight_limit = limit}).value();
  HostPool pool(device->allocate_host(std::size_t{257} << 20).value());
  const auto slow = device->open_slot(slot_bytes, 1).value();
  const auto other = device->open_slot(1u << 20, 16).value();
  const auto program = support::make_program(support::fp32_row({columns}),
                                             {{"linear", {{"weight", support::fp32_weight({columns, columns}, 1)}}}});
  const auto compiled = device->compile(program, rows, slot_bytes);
  ASSERT_TRUE(compiled) << compiled.error().message;
  const Executable& executable = **compiled;

  HostBuffer in = pool.take(batch_bytes);
  HostBuffer out = pool.take(batch_bytes);
  ASSERT_TRUE(in && out);
  std::fill_n(in.data(), batch_bytes, std::byte{0});
  const std::array<const std::byte*, 1> inputs{in.data()};
  const std::array<std::byte*, 1> outputs{out.data()};
  const Segment segment{inputs, outputs, rows};
  TestBatch late(pool, executable, std::vector<TestRequest>{{1, 0}});
  late.fill_floats(1);

  FlightLog log;
  slow->submit({.flight = 1, .executable = &executable, .segments = {&segment, 1}, .rows = rows}, log);
  ASSERT_TRUE(log.wait_for_flight(1));
  // The device may still read and write them.
  in.abandon();
  out.abandon();
  const FlightResult ended = log.result(1);
  ASSERT_TRUE(ended.error);
  EXPECT_EQ(ended.error->kind, ErrorKind::device_lost);
  EXPECT_THAT(ended.error->message, HasSubstr("a flight was in the air for more than 1 ms"));
  EXPECT_TRUE(device->lost());

  other->submit(late.batch(2), log);
  ASSERT_TRUE(log.wait_for_flight(2));
  ASSERT_TRUE(log.result(2).error);
  EXPECT_EQ(log.result(2).error->kind, ErrorKind::device_lost);
  EXPECT_THAT(log.result(2).error->message, HasSubstr("more than 1 ms"));
  EXPECT_EQ(log.notices_of(1), 1u);
  EXPECT_EQ(log.notices_of(2), 1u);

  EXPECT_EQ(device->open_slot(1u << 20, 16).error().kind, ErrorKind::device_lost);
  EXPECT_EQ(device->compile(program, 16, 1u << 20).error().kind, ErrorKind::device_lost);
  EXPECT_GE(pool.bytes_abandoned(), 2 * batch_bytes);
}

// The default is far above what a long flight takes.
TEST_P(FlightLimit, LongFlightsBelowItLand) {
  const auto device = open_cuda_device(0, {.transfer = GetParam()}).value();
  HostPool pool(device->allocate_host(std::size_t{257} << 20).value());
  const auto slot = device->open_slot(slot_bytes, 1).value();
  const auto program = support::make_program(support::fp32_row({columns}),
                                             {{"linear", {{"weight", support::fp32_weight({columns, columns}, 1)}}}});
  const auto executable = device->compile(program, rows, slot_bytes).value();
  TestBatch batch(pool, *executable, std::vector<TestRequest>{{rows, 0}});
  FlightLog log;
  slot->submit(batch.batch(1), log);
  ASSERT_TRUE(log.wait_for_flight(1));
  EXPECT_FALSE(log.result(1).error) << log.result(1).error->message;
  EXPECT_FALSE(device->lost());
}

INSTANTIATE_TEST_SUITE_P(Ways, FlightLimit, testing::Values(Transfer::in_place, Transfer::copy_engines),
                         [](const testing::TestParamInfo<Transfer>& way) {
                           return way.param == Transfer::in_place ? "in_place" : "copy_engines";
                         });

}  // namespace
}  // namespace headrace::gpu
