#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "gpu/cuda/control_block.hpp"

namespace headrace::gpu::cuda {

/// Requests' host buffers → contiguous device rows: one thread block a tile, reading host memory in place. Also writes
/// the batch's row count to `rows`, device memory, where the steps read it without crossing the bus. `tiles` is at
/// least 1.
cudaError_t enqueue_ingest(cudaStream_t stream, const ControlBlock& control, std::uint32_t tiles,
                           std::uint32_t* rows) noexcept;

/// cudaErrorNoKernelImageForDevice when this build has no code for the calling thread's device.
cudaError_t find_kernel_image() noexcept;

}  // namespace headrace::gpu::cuda
