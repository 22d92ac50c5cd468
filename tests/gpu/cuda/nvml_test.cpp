// Against real shared libraries that stand in for the driver's (nvml_stand_in.cpp); no GPU needed.

#include "gpu/cuda/nvml.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace headrace::gpu::cuda {
namespace {

constexpr const char* bus_id = "0000:19:00.0";

/// Keeps the library loaded, and its counters with it.
class StandIn {
 public:
  explicit StandIn(const char* path) : handle_(::dlopen(path, RTLD_NOW | RTLD_LOCAL)) {}
  ~StandIn() {
    if (handle_ != nullptr) ::dlclose(handle_);
  }
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;

  int number(const char* name) const {
    auto* const function = reinterpret_cast<int (*)()>(::dlsym(handle_, name));
    return function == nullptr ? -1 : function();
  }

 private:
  void* handle_;
};

TEST(Nvml, NoLibraryIsNoFiguresAndNoComplaint) {
  EXPECT_FALSE(Nvml::open(bus_id, "libheadrace-no-such-library.so.1"));
  EXPECT_FALSE(Nvml::open(bus_id, ""));
}

TEST(Nvml, ALibraryOfAnotherKindIsNoFigures) { EXPECT_FALSE(Nvml::open(bus_id, "libm.so.6")); }

TEST(Nvml, EveryFigureComesInOurUnits) {
  const auto device = Nvml::open(bus_id, STAND_IN_WHOLE);
  ASSERT_TRUE(device);
  const DeviceSensors sensors = device->read();
  EXPECT_EQ(sensors.utilisation, 0.37);
  EXPECT_EQ(sensors.memory_used_bytes, 1'500'000'000U);
  EXPECT_EQ(sensors.memory_total_bytes, 150'000'000'000U);
  EXPECT_EQ(sensors.power_watts, 412.5);
  EXPECT_EQ(sensors.temperature_celsius, 54.0);
}

TEST(Nvml, AnUnknownDeviceIsNoFigures) { EXPECT_FALSE(Nvml::open("0000:1a:00.0", STAND_IN_WHOLE)); }

TEST(Nvml, WhatTheDeviceDoesNotSupportIsLeftOut) {
  const auto device = Nvml::open(bus_id, STAND_IN_NO_POWER);
  ASSERT_TRUE(device);
  const DeviceSensors sensors = device->read();
  EXPECT_FALSE(sensors.power_watts);
  EXPECT_EQ(sensors.utilisation, 0.37);
  EXPECT_EQ(sensors.memory_used_bytes, 1'500'000'000U);
  EXPECT_EQ(sensors.temperature_celsius, 54.0);
}

TEST(Nvml, WhatTheLibraryDoesNotHaveIsLeftOut) {
  const auto device = Nvml::open(bus_id, STAND_IN_NO_TEMPERATURE);
  ASSERT_TRUE(device);
  const DeviceSensors sensors = device->read();
  EXPECT_FALSE(sensors.temperature_celsius);
  EXPECT_EQ(sensors.power_watts, 412.5);
}

TEST(Nvml, NoDriverIsNoFiguresAndNothingToShutDown) {
  const StandIn library(STAND_IN_NO_DRIVER);
  EXPECT_FALSE(Nvml::open(bus_id, STAND_IN_NO_DRIVER));
  EXPECT_EQ(library.number("stand_in_runs"), 0);
}

TEST(Nvml, StartsOnceForAllDevicesAndEndsWithTheLast) {
  const StandIn library(STAND_IN_WHOLE);
  const int starts = library.number("stand_in_starts");
  ASSERT_GE(starts, 0);
  {
    const auto first = Nvml::open(bus_id, STAND_IN_WHOLE);
    auto second = Nvml::open(bus_id, STAND_IN_WHOLE);
    EXPECT_EQ(library.number("stand_in_starts"), starts + 1);
    EXPECT_EQ(library.number("stand_in_runs"), 1);
    second.reset();
    EXPECT_EQ(library.number("stand_in_runs"), 1);
    EXPECT_EQ(first->read().utilisation, 0.37);
  }
  EXPECT_EQ(library.number("stand_in_runs"), 0);
  const auto again = Nvml::open(bus_id, STAND_IN_WHOLE);
  ASSERT_TRUE(again);
  EXPECT_EQ(library.number("stand_in_starts"), starts + 2);
}

TEST(Nvml, ManyThreadsMayOpenAndRead) {
  const StandIn library(STAND_IN_WHOLE);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([] {
        for (int n = 0; n < 50; ++n) {
          const auto device = Nvml::open(bus_id, STAND_IN_WHOLE);
          ASSERT_TRUE(device);
          EXPECT_EQ(device->read().temperature_celsius, 54.0);
        }
      });
    }
  }
  EXPECT_EQ(library.number("stand_in_runs"), 0);
}

}  // namespace
}  // namespace headrace::gpu::cuda
