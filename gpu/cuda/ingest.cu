#include "gpu/cuda/ingest.hpp"

#include "gpu/cuda/launch.cuh"

namespace headrace::gpu::cuda {
namespace {

__global__ void __launch_bounds__(tile_threads)
    ingest_kernel(const ControlHead* head, const Tile* tiles, std::uint32_t* rows) {
  __shared__ Tile tile;
  if (threadIdx.x == 0) {
    tile = tiles[blockIdx.x];
    if (blockIdx.x == 0) *rows = head->rows;
  }
  __syncthreads();
  copy_tile(tile, threadIdx.x, blockDim.x);
}

}  // namespace

cudaError_t enqueue_ingest(cudaStream_t stream, const ControlBlock& control, std::uint32_t tiles,
                           std::uint32_t* rows) noexcept {
  return launch(ingest_kernel, {dim3(tiles), dim3(tile_threads)}, stream, control.head(), control.ingest(), rows);
}

cudaError_t find_kernel_image() noexcept {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, ingest_kernel);
}

}  // namespace headrace::gpu::cuda
