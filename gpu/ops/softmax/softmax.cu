#include "gpu/ops/softmax/softmax.hpp"

#include <cstdint>

#include "gpu/cuda/cuda_step.hpp"
#include "gpu/cuda/launch.cuh"

namespace headrace::gpu::cuda {
namespace {

constexpr unsigned warp_threads = 32;
constexpr unsigned block_threads = 256;
constexpr std::size_t warp_width_max = 1024;  // above it a vector gets a whole block
constexpr std::size_t blocks_max = 16384;

struct Largest {
  using Value = float;
  static __device__ Value neutral() { return -INFINITY; }
  __device__ Value operator()(Value a, Value b) const { return fmaxf(a, b); }
};
struct Total {
  using Value = double;
  static __device__ Value neutral() { return 0; }
  __device__ Value operator()(Value a, Value b) const { return a + b; }
};

template <class Reduction>
__device__ typename Reduction::Value across_warp(typename Reduction::Value value) {
  for (int distance = warp_threads / 2; distance > 0; distance /= 2) {
    value = Reduction{}(value, __shfl_xor_sync(0xffffffffu, value, distance));
  }
  return value;
}

/// The reduction over `threads` threads (one warp or the whole block); every one of them gets it.
template <class Reduction, unsigned threads>
__device__ typename Reduction::Value across(typename Reduction::Value value) {
  value = across_warp<Reduction>(value);
  if constexpr (threads > warp_threads) {
    __shared__ typename Reduction::Value parts[threads / warp_threads];
    __syncthreads();  // the parts of the vector before have been read
    if (threadIdx.x % warp_threads == 0) parts[threadIdx.x / warp_threads] = value;
    __syncthreads();
    const unsigned lane = threadIdx.x % warp_threads;
    value = across_warp<Reduction>(lane < threads / warp_threads ? parts[lane] : Reduction::neutral());
  }
  return value;
}

/// `threads` threads a vector. fmaxf passes NaN by, but its exponential makes the sum NaN, as the contract says.
template <unsigned threads>
__global__ void __launch_bounds__(block_threads) softmax_kernel(const float* in, float* out, const std::uint32_t* rows,
                                                                std::uint64_t vectors_per_row, std::uint64_t width) {
  constexpr unsigned groups = block_threads / threads;
  const unsigned member = threadIdx.x % threads;
  const std::uint64_t vectors = *rows * vectors_per_row;
  const std::uint64_t first = blockIdx.x * std::uint64_t{groups} + threadIdx.x / threads;
  for (std::uint64_t vector = first; vector < vectors; vector += gridDim.x * std::uint64_t{groups}) {
    const float* x = in + vector * width;
    float* y = out + vector * width;
    float most = Largest::neutral();
    for (std::uint64_t i = member; i < width; i += threads) most = fmaxf(most, x[i]);
    most = across<Largest, threads>(most);
    double total = 0;
    for (std::uint64_t i = member; i < width; i += threads) {
      const float e = expf(x[i] - most);
      y[i] = e;
      total += static_cast<double>(e);
    }
    const auto factor = static_cast<float>(1.0 / across<Total, threads>(total));
    for (std::uint64_t i = member; i < width; i += threads) y[i] *= factor;
  }
}

class SoftmaxCudaStep final : public CudaStep {
 public:
  explicit SoftmaxCudaStep(const SoftmaxStep& step) noexcept
      : width_(step.width()), vectors_per_row_(step.vectors_per_row()) {}

  cudaError_t enqueue(const Launch& batch, const std::byte* in, std::byte* out) const noexcept override {
    const bool by_warp = width_ <= warp_width_max;
    const std::size_t groups = by_warp ? block_threads / warp_threads : 1;
    const Grid grid{dim3(blocks_for(batch.rows * vectors_per_row_, groups, blocks_max)), dim3(block_threads)};
    return launch(by_warp ? softmax_kernel<warp_threads> : softmax_kernel<block_threads>, grid, batch.stream,
                  reinterpret_cast<const float*>(in), reinterpret_cast<float*>(out), batch.rows_device,
                  vectors_per_row_, width_);
  }
  bool in_place() const noexcept override { return true; }

 private:
  std::size_t width_;
  std::size_t vectors_per_row_;
};

}  // namespace

Result<std::unique_ptr<const CudaStep>> make_cuda_softmax(const Step& step, Weights&) {
  return std::make_unique<SoftmaxCudaStep>(static_cast<const SoftmaxStep&>(step));
}

}  // namespace headrace::gpu::cuda
