#include "gpu/cuda/elementwise.hpp"

#include "gpu/cuda/launch.cuh"

namespace headrace::gpu::cuda {
namespace {

constexpr unsigned elementwise_threads = 256;
constexpr unsigned elementwise_blocks_max = 4096;

__global__ void __launch_bounds__(elementwise_threads)
    chain_kernel(const Chain chain, const float* x, float* y, const std::uint32_t* rows, std::uint64_t row_elements) {
  const std::uint64_t elements = *rows * row_elements;
  const std::uint64_t quads = elements / 4;
  const std::uint64_t thread = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  const std::uint64_t threads = gridDim.x * std::uint64_t{blockDim.x};
  const auto* x4 = reinterpret_cast<const float4*>(x);
  auto* y4 = reinterpret_cast<float4*>(y);
  for (std::uint64_t i = thread; i < quads; i += threads) {
    const float4 v = x4[i];
    float values[4] = {v.x, v.y, v.z, v.w};
    chain.apply(values);
    y4[i] = make_float4(values[0], values[1], values[2], values[3]);
  }
  const std::uint64_t left = quads * 4 + thread;
  if (left < elements) {
    float value[1] = {x[left]};
    chain.apply(value);
    y[left] = value[0];
  }
}

}  // namespace

cudaError_t enqueue_chain(const Launch& batch, const Chain& chain, const std::byte* in, std::byte* out,
                          std::size_t row_elements) noexcept {
  const std::size_t quads = (batch.rows * row_elements + 3) / 4;
  const Grid grid{dim3(blocks_for(quads, elementwise_threads, elementwise_blocks_max)), dim3(elementwise_threads)};
  return launch(chain_kernel, grid, batch.stream, chain, reinterpret_cast<const float*>(in),
                reinterpret_cast<float*>(out), batch.rows_device, row_elements);
}

}  // namespace headrace::gpu::cuda
