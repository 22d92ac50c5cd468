// A sticky fault: everything in the air and everything later is answered device_lost, and closing does not hang.

#include <gtest/gtest.h>

#include <array>
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

/// Where no memory is mapped, on host or device.
const std::byte* nowhere() { return reinterpret_cast<const std::byte*>(std::uintptr_t{4096}); }

ErrorKind kind_of(const FlightResult& result) { return result.error.value().kind; }

TEST(LostDevice, AnswersEveryFlightAndCloses) {
  std::string why_none;
  if (cuda_device_count(why_none) == 0) GTEST_SKIP() << why_none;
  const auto device = open_cuda_device(0).value();
  HostPool pool(device->allocate_host(16u << 20).value());
  const auto executable = device->compile(support::affine_program(64, 2, 1), 1024, 1u << 20).value();
  const auto faulty = device->open_slot(1u << 20, 16).value();
  const auto healthy = device->open_slot(1u << 20, 16).value();

  TestBatch good(pool, *executable, std::vector<TestRequest>{{100, 0}});
  good.fill_floats(1);
  TestBatch answer(pool, *executable, std::vector<TestRequest>{{100, 0}});
  const Batch template_batch = answer.batch(1);
  const std::array inputs{nowhere()};
  const Segment wild{inputs, template_batch.segments.front().outputs, 100};

  FlightLog log;
  faulty->submit({.flight = 1, .executable = executable.get(), .segments = {&wild, 1}, .rows = 100}, log);
  ASSERT_TRUE(log.wait_for_flight(1));
  EXPECT_EQ(kind_of(log.result(1)), ErrorKind::device_lost) << log.result(1).error->message;
  EXPECT_TRUE(device->lost());

  healthy->submit(good.batch(2), log);
  ASSERT_TRUE(log.wait_for_flight(2));
  EXPECT_EQ(kind_of(log.result(2)), ErrorKind::device_lost);
  EXPECT_EQ(log.notices_of(1), 1u);
  EXPECT_EQ(log.notices_of(2), 1u);

  EXPECT_EQ(device->open_slot(1u << 20, 16).error().kind, ErrorKind::device_lost);
  EXPECT_EQ(device->compile(support::affine_program(64, 2, 1), 16, 1u << 20).error().kind, ErrorKind::device_lost);
}

}  // namespace
}  // namespace headrace::gpu
