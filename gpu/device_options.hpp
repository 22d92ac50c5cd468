#pragma once
// What a device is opened with.

#include <chrono>
#include <cstdint>
#include <optional>

#include "gpu/device.hpp"

namespace headrace::gpu {

struct DeviceOptions {
  std::uint32_t cpu_workers = 1;  // threads of the CPU device
  /// CPU device: a flight whose work is estimated below this runs on the submitting thread, which saves two wake-ups.
  /// 0: never.
  std::uint64_t inline_flops_max = 0;
  /// CUDA: all batches go this way, for benchmarks and tests; otherwise each batch goes by the cost model.
  std::optional<Transfer> transfer = std::nullopt;
  /// CUDA: a flight in the air for longer counts as a sticky fault, because nothing else ends a kernel that never does.
  std::chrono::milliseconds flight_limit{30'000};
  /// CUDA: captured graphs of all models and slots, about 20 KiB of device and host memory each. A model that would go
  /// beyond it is launched kernel by kernel.
  std::uint32_t graphs_max = 4096;
};

}  // namespace headrace::gpu
