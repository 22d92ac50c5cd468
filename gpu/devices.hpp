#pragma once
// Choosing devices by name: "auto", "cpu", "cuda" (every one there is), "cuda:1", "cuda:0,2"; "auto" is "cuda" where
// that works and otherwise "cpu". The one place that knows which devices are compiled in.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/device_options.hpp"

namespace headrace::gpu {

struct OpenedDevices {
  std::vector<std::unique_ptr<Device>> devices;  // at least one
  std::string note;  // one line: why auto chose the CPU device; empty otherwise
};

/// At start only. Errors: unavailable, saying what was asked and what is there. Throws std::system_error when a thread
/// of the CPU device cannot be started.
Result<OpenedDevices> open_devices(std::string_view selection, const DeviceOptions& options);

}  // namespace headrace::gpu
