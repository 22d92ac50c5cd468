#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "gpu/cuda/control_block.hpp"

namespace headrace::gpu::cuda {

/// Device rows → each request's own response buffer in host memory: one thread block a tile. `tiles` is at least 1.
cudaError_t enqueue_egress(cudaStream_t stream, const ControlBlock& control, std::uint32_t tiles) noexcept;

}  // namespace headrace::gpu::cuda
