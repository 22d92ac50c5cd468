#include "service/app/device_gauges.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "gpu/host_pool.hpp"
#include "tests/support/flight_log.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/puppet_device.hpp"
#include "tests/support/test_batch.hpp"

namespace headrace::app {
namespace {

using std::chrono::milliseconds;
using support::Ending;

class DeviceGaugesTest : public testing::Test {
 protected:
  support::PuppetDevice device_{{.label = "puppet:3"}};
  std::unique_ptr<gpu::StagingRing> ring_ =
      std::move(gpu::StagingRing::open(device_, {.slots = 1, .slot_bytes = 1u << 16, .segments_max = 4}).value());
  DeviceGauges gauges_{*ring_};
  const DeviceGauges::Clock::time_point start_{std::chrono::hours(1)};
};

TEST_F(DeviceGaugesTest, SaysWhatTheDeviceIsAndHowLongItWorked) {
  device_.set_activity({.h2d = milliseconds(1500), .kernel = milliseconds(2250), .d2h = milliseconds(500)});
  const auto shown = gauges_.read(start_);
  EXPECT_EQ(shown.device, "puppet:3");
  EXPECT_EQ(shown.kind, "puppet");
  EXPECT_EQ(shown.name, "puppet");
  EXPECT_FALSE(shown.lost);
  EXPECT_EQ(shown.h2d_busy_seconds, 1.5);
  EXPECT_EQ(shown.kernel_busy_seconds, 2.25);
  EXPECT_EQ(shown.d2h_busy_seconds, 0.5);
  EXPECT_EQ(shown.spurious_notices, 0U);
}

TEST_F(DeviceGaugesTest, ADeviceWithoutSensorsHasNoFigures) {
  const auto shown = gauges_.read(start_);
  EXPECT_FALSE(shown.utilisation_ratio || shown.memory_used_bytes || shown.memory_total_bytes || shown.power_watts ||
               shown.temperature_celsius);
}

TEST_F(DeviceGaugesTest, EachFigureOfTheDriverIsPassedOnWhereItIs) {
  device_.set_sensors(gpu::DeviceSensors{.utilisation = 0.37,
                                         .memory_used_bytes = 1'500'000'000,
                                         .memory_total_bytes = 150'000'000'000,
                                         .power_watts = std::nullopt,
                                         .temperature_celsius = 54});
  const auto shown = gauges_.read(start_);
  EXPECT_EQ(shown.utilisation_ratio, 0.37);
  EXPECT_EQ(shown.memory_used_bytes, 1.5e9);
  EXPECT_EQ(shown.memory_total_bytes, 150e9);
  EXPECT_FALSE(shown.power_watts);
  EXPECT_EQ(shown.temperature_celsius, 54);
}

TEST_F(DeviceGaugesTest, TheDriverIsAskedOnceASecond) {
  gpu::DeviceSensors said;
  said.power_watts = 100;
  device_.set_sensors(said);
  EXPECT_EQ(gauges_.read(start_).power_watts, 100);
  said.power_watts = 200;
  device_.set_sensors(said);
  EXPECT_EQ(gauges_.read(start_ + milliseconds(999)).power_watts, 100);
  EXPECT_EQ(device_.sensors_asked(), 1U);
  EXPECT_EQ(gauges_.read(start_ + milliseconds(1000)).power_watts, 200);
  EXPECT_EQ(device_.sensors_asked(), 2U);
  device_.set_sensors(std::nullopt);
  EXPECT_FALSE(gauges_.read(start_ + milliseconds(2000)).power_watts)
      << "a driver that went silent leaves nothing behind";
}

TEST_F(DeviceGaugesTest, LossAndNoticesTooManyAreSeen) {
  gpu::HostPool pool(std::move(device_.allocate_host(1u << 16).value()));
  const auto executable = device_.compile(support::affine_program(4, 2, 1), 8, 1u << 16).value();
  support::TestBatch batch(pool, *executable, std::vector<support::TestRequest>{{2, 0}});
  support::FlightLog log;
  ring_->acquire(0);
  ring_->submit(0, batch.batch(7), log);
  ASSERT_TRUE(device_.complete(7, Ending::device_lost));
  device_.repeat_notice(7);
  const auto shown = gauges_.read(start_);
  EXPECT_TRUE(shown.lost);
  EXPECT_EQ(shown.spurious_notices, 1U);
}

}  // namespace
}  // namespace headrace::app
