// A driver library for machines without one: exports the management library's functions for one device at
// 0000:19:00.0. What it cannot do is chosen when it is compiled:
//   STAND_IN_NO_POWER        power is "not supported", as on boards without the sensor
//   STAND_IN_NO_TEMPERATURE  the function is missing, as in a library that has dropped it
//   STAND_IN_NO_DRIVER       starting it fails, as where the library is installed and the driver is not loaded
// stand_in_runs() says how many starts were not yet followed by a shutdown, stand_in_starts() how many there were.

#include <atomic>
#include <cstring>

namespace {

constexpr int success = 0;
constexpr int not_supported = 3;
constexpr int not_found = 6;
constexpr int driver_not_loaded = 9;

std::atomic<int> runs{0};
std::atomic<int> starts{0};
int device = 0;

struct Utilization {
  unsigned int gpu, memory;
};
struct Memory {
  unsigned long long total, free, used;
};

template <class Value>
int answer(void* of, Value* to, Value value) {
  if (of != &device || runs == 0) return not_found;
  *to = value;
  return success;
}

}  // namespace

extern "C" {

int stand_in_runs() { return runs; }
int stand_in_starts() { return starts; }

int nvmlInit_v2() {
#ifdef STAND_IN_NO_DRIVER
  return driver_not_loaded;
#else
  static_cast<void>(driver_not_loaded);
  ++starts;
  ++runs;
  return success;
#endif
}

int nvmlShutdown() {
  --runs;
  return success;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** to) {
  if (std::strcmp(bus_id, "0000:19:00.0") != 0) return not_found;
  *to = &device;
  return success;
}

int nvmlDeviceGetUtilizationRates(void* of, Utilization* to) { return answer(of, to, Utilization{37, 11}); }

int nvmlDeviceGetMemoryInfo(void* of, Memory* to) {
  return answer(of, to, Memory{150'000'000'000, 148'500'000'000, 1'500'000'000});
}

int nvmlDeviceGetPowerUsage(void* of, unsigned int* to) {
#ifdef STAND_IN_NO_POWER
  static_cast<void>(of);
  *to = 12345;  // what stands there must not be read
  return not_supported;
#else
  static_cast<void>(not_supported);
  return answer(of, to, 412'500U);
#endif
}

#ifndef STAND_IN_NO_TEMPERATURE
int nvmlDeviceGetTemperature(void* of, int sensor, unsigned int* to) {
  return sensor == 0 ? answer(of, to, 54U) : not_supported;
}
#endif

}  // extern "C"
