#include "gpu/ops/cumsum/cumsum.hpp"

#include "gpu/cuda/reduction.cuh"

namespace headrace::gpu::cuda {
namespace {

/// What the threads before this one in its group have together; `total` becomes what all have.
template <unsigned threads>
__device__ double before_this_thread(double value, double& total) {
  const unsigned lane = threadIdx.x % warp_threads;
  double up_to = value;
  for (unsigned distance = 1; distance < warp_threads; distance *= 2) {
    const double left = __shfl_up_sync(0xffffffffu, up_to, distance);
    if (lane >= distance) up_to += left;
  }
  const double left = __shfl_up_sync(0xffffffffu, up_to, 1);
  double before = lane == 0 ? 0.0 : left;
  total = __shfl_sync(0xffffffffu, up_to, warp_threads - 1);
  if constexpr (threads > warp_threads) {
    __shared__ double parts[threads / warp_threads];
    __syncthreads();  // the parts of the piece before have been read
    if (lane == 0) parts[threadIdx.x / warp_threads] = total;
    __syncthreads();
    total = 0;
    for (unsigned warp = 0; warp < threads / warp_threads; ++warp) {
      if (warp == threadIdx.x / warp_threads) before += total;
      total += parts[warp];
    }
  }
  return before;
}

/// Piece by piece: each thread takes one element of it. A thread writes only what it alone has read.
template <unsigned threads>
__global__ void __launch_bounds__(block_threads) cumsum_kernel(const float* in, float* out, const std::uint32_t* rows,
                                                               std::uint64_t vectors_per_row, std::uint64_t width) {
  each_vector<threads>(rows, vectors_per_row, [&](std::uint64_t vector) {
    const float* x = in + vector * width;
    float* y = out + vector * width;
    double carried = 0;
    for (std::uint64_t piece = 0; piece < width; piece += threads) {
      const std::uint64_t i = piece + threadIdx.x % threads;
      const double value = i < width ? static_cast<double>(x[i]) : 0.0;
      double total = 0;
      const double before = before_this_thread<threads>(value, total);
      if (i < width) y[i] = static_cast<float>(carried + before + value);
      carried += total;
    }
  });
}

class CumsumCudaStep final : public CudaStep {
 public:
  explicit CumsumCudaStep(const Vectors& vectors) noexcept : vectors_(vectors) {}

  cudaError_t enqueue(const Launch& batch, const std::byte* in, std::byte* out) const noexcept override {
    return launch_vectors(cumsum_kernel<warp_threads>, cumsum_kernel<block_threads>, batch, vectors_, in, out);
  }
  bool in_place() const noexcept override { return true; }

 private:
  Vectors vectors_;
};

}  // namespace

Result<std::unique_ptr<const CudaStep>> make_cuda_cumsum(const Step& step, Weights&) {
  return std::make_unique<CumsumCudaStep>(static_cast<const CumsumStep&>(step).vectors());
}

}  // namespace headrace::gpu::cuda
