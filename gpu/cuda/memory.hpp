#pragma once
// Memory of the calling thread's device, and host memory that every device reads and writes in place. At start only.

#include <cstddef>
#include <string_view>

#include "gpu/cuda/owner.hpp"

namespace headrace::gpu::cuda {

using DeviceMemory = Owner<void*, cudaFree>;
using PinnedMemory = Owner<void*, cudaFreeHost>;

/// At least one byte, aligned to 256. `what` names it in the message of out_of_memory, with asked, free and limit.
Result<DeviceMemory> allocate_device(std::size_t bytes, std::string_view what);
/// At least one byte, aligned to 256; ordinary (not write-combined) because the CPU reads it too; portable across
/// devices; the same address on host and device.
Result<PinnedMemory> allocate_pinned(std::size_t bytes, std::string_view what);

}  // namespace headrace::gpu::cuda
