// What the driver of a real GPU says, as far as it says anything.

#include <gtest/gtest.h>

#include <string>

#include "gpu/cuda/cuda_devices.hpp"
#include "gpu/device.hpp"

namespace headrace::gpu {
namespace {

TEST(CudaSensors, FiguresOfAHealthyDeviceArePlausible) {
  std::string why_none;
  if (cuda_device_count(why_none) == 0) GTEST_SKIP() << why_none;
  const auto device = open_cuda_device(0).value();
  const auto sensors = device->sensors();
  if (!sensors) GTEST_SKIP() << "no management library here";
  if (sensors->utilisation) {
    EXPECT_GE(*sensors->utilisation, 0);
    EXPECT_LE(*sensors->utilisation, 1);
  }
  if (sensors->memory_used_bytes && sensors->memory_total_bytes) {
    EXPECT_GT(*sensors->memory_used_bytes, 0U);
    EXPECT_LE(*sensors->memory_used_bytes, *sensors->memory_total_bytes);
    EXPECT_GE(*sensors->memory_total_bytes, device->info().memory_bytes_total) << "it counts what is reserved as well";
  }
  if (sensors->power_watts) {
    EXPECT_GT(*sensors->power_watts, 1);
    EXPECT_LT(*sensors->power_watts, 5000);
  }
  if (sensors->temperature_celsius) {
    EXPECT_GT(*sensors->temperature_celsius, 0);
    EXPECT_LT(*sensors->temperature_celsius, 130);
  }
}

}  // namespace
}  // namespace headrace::gpu
