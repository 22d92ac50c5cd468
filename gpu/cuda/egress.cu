#include "gpu/cuda/egress.hpp"

#include "gpu/cuda/launch.cuh"

namespace headrace::gpu::cuda {
namespace {

__global__ void __launch_bounds__(tile_threads) egress_kernel(const Tile* tiles) {
  __shared__ Tile tile;
  if (threadIdx.x == 0) tile = tiles[blockIdx.x];
  __syncthreads();
  copy_tile(tile, threadIdx.x, blockDim.x);
}

}  // namespace

cudaError_t enqueue_egress(cudaStream_t stream, const ControlBlock& control, std::uint32_t tiles) noexcept {
  return launch(egress_kernel, {dim3(tiles), dim3(tile_threads)}, stream, control.egress());
}

}  // namespace headrace::gpu::cuda
