#pragma once
// Launching a kernel: the error comes back as a value instead of being left behind for whoever asks next.

#include <cuda_runtime.h>

namespace headrace::gpu::cuda {

struct Grid {
  dim3 blocks;
  dim3 threads;
};

template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), const Grid& grid, cudaStream_t stream,
                   Arguments... arguments) noexcept {
  cudaLaunchConfig_t config{};
  config.gridDim = grid.blocks;
  config.blockDim = grid.threads;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

/// Blocks for `work` items, at most `most`: kernels step through what is left.
inline unsigned blocks_for(std::size_t work, std::size_t per_block, std::size_t most) noexcept {
  const std::size_t blocks = (work + per_block - 1) / per_block;
  return static_cast<unsigned>(blocks < 1 ? 1 : blocks > most ? most : blocks);
}

}  // namespace headrace::gpu::cuda
