#include "gpu/cpu/cpu_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <thread>
#include <vector>

#include "gpu/host_pool.hpp"
#include "tests/support/flight_log.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/test_batch.hpp"

namespace headrace::gpu::cpu {
namespace {

/// Remembers on which thread it was told.
struct ThreadLog final : FlightObserver {
  void on_flight_done(const FlightResult& result) noexcept override {
    thread = std::this_thread::get_id();
    log.on_flight_done(result);
  }
  std::thread::id thread;
  support::FlightLog log;
};

std::thread::id thread_of_a_flight(std::uint64_t inline_flops_max, std::uint32_t rows) {
  CpuDevice device({.cpu_workers = 1, .inline_flops_max = inline_flops_max});
  HostPool pool(device.allocate_host(1u << 20).value());
  const auto executable = device.compile(support::affine_program(16, 2, 1), 64, 1u << 16).value();  // 32 flops a row
  support::TestBatch batch(pool, *executable, std::vector<support::TestRequest>{{rows, 0}});
  batch.fill_floats(1);
  const auto slot = device.open_slot(1u << 16, 4).value();
  ThreadLog log;
  slot->submit(batch.batch(1), log);
  EXPECT_TRUE(log.log.wait_for(1));
  return log.thread;
}

TEST(CpuDevice, SmallFlightsRunWhereTheyAreSubmitted) {
  EXPECT_EQ(thread_of_a_flight(1'000, 4), std::this_thread::get_id());
  EXPECT_NE(thread_of_a_flight(1'000, 40), std::this_thread::get_id());
}

TEST(CpuDevice, ZeroMeansNeverInline) { EXPECT_NE(thread_of_a_flight(0, 0), std::this_thread::get_id()); }

TEST(CpuDevice, FewWorkersServeManySlots) {
  CpuDevice device({.cpu_workers = 1, .inline_flops_max = 0});
  HostPool pool(device.allocate_host(1u << 20).value());
  const auto executable = device.compile(support::affine_program(16, 2, 1), 64, 1u << 16).value();
  support::TestBatch batch(pool, *executable, std::vector<support::TestRequest>{{8, 0}});
  batch.fill_floats(1);
  support::FlightLog log;
  std::vector<std::unique_ptr<Slot>> slots;
  for (std::uint64_t flight = 0; flight < 8; ++flight) {
    slots.push_back(device.open_slot(1u << 16, 4).value());
    slots.back()->submit(batch.batch(flight), log);
  }
  EXPECT_TRUE(log.wait_for(8));
}

TEST(CpuDevice, TimeAtWorkGrowsWithFlightsAndStandsStillBetween) {
  for (const std::uint64_t inline_flops_max : {std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()}) {
    CpuDevice device({.cpu_workers = 1, .inline_flops_max = inline_flops_max});
    HostPool pool(device.allocate_host(8u << 20).value());
    const auto executable = device.compile(support::affine_program(1024, 2, 1), 256, 1u << 20).value();
    EXPECT_EQ(device.activity().kernel.count(), 0) << "a warm-up is no flight";
    support::TestBatch batch(pool, *executable, std::vector<support::TestRequest>{{200, 0}});
    batch.fill_floats(1);
    const auto slot = device.open_slot(1u << 20, 4).value();
    std::chrono::nanoseconds before{0};
    for (std::uint64_t flight = 1; flight <= 3; ++flight) {
      support::FlightLog log;
      const auto begin = std::chrono::steady_clock::now();
      slot->submit(batch.batch(flight), log);
      ASSERT_TRUE(log.wait_for(1));
      const auto passed = std::chrono::steady_clock::now() - begin;
      const DeviceActivity activity = device.activity();
      EXPECT_GT(activity.kernel, before);
      EXPECT_LE(activity.kernel - before, passed + std::chrono::microseconds(1));
      EXPECT_EQ(activity.kernel, device.activity().kernel);
      EXPECT_EQ(activity.h2d.count() + activity.d2h.count(), 0);
      before = activity.kernel;
    }
  }
}

TEST(CpuDevice, RefusesASlotThatFitsNoMemory) {
  CpuDevice device({});
  for (const std::size_t bytes :
       {std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max() / 8}) {
    const auto slot = device.open_slot(bytes, 1);
    ASSERT_FALSE(slot.has_value());
    EXPECT_EQ(slot.error().kind, ErrorKind::out_of_memory);
  }
}

}  // namespace
}  // namespace headrace::gpu::cpu
