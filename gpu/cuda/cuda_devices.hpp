#pragma once
// The CUDA devices of this machine. Includes nothing of CUDA: who opens a device need not compile against it.
// A program with this linked in starts where there is no driver; it then finds no device.

#include <memory>
#include <string>

#include "gpu/device.hpp"
#include "gpu/device_options.hpp"

namespace headrace::gpu {

/// How many CUDA devices there are; with 0, `why_none` says why in one line.
int cuda_device_count(std::string& why_none) noexcept;

/// Errors: unavailable, naming what is missing (driver, device of that ordinal, code for its architecture).
Result<std::unique_ptr<Device>> open_cuda_device(int ordinal, const DeviceOptions& options = {});

}  // namespace headrace::gpu
