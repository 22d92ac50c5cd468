#include "gpu/ops/variance/variance.hpp"

#include "gpu/cuda/reduction.cuh"

namespace headrace::gpu::cuda {
namespace {

template <unsigned threads>
__global__ void __launch_bounds__(block_threads) variance_kernel(const float* in, float* out, const std::uint32_t* rows,
                                                                 std::uint64_t vectors_per_row, std::uint64_t width) {
  each_vector<threads>(rows, vectors_per_row, [&](std::uint64_t vector) {
    const float* x = in + vector * width;
    const double squares = squares_around<threads>(mean_of<threads>(x, width), x, width);
    if (threadIdx.x % threads == 0) out[vector] = static_cast<float>(squares / static_cast<double>(width));
  });
}

class VarianceCudaStep final : public CudaStep {
 public:
  explicit VarianceCudaStep(const Vectors& vectors) noexcept : vectors_(vectors) {}

  cudaError_t enqueue(const Launch& batch, const std::byte* in, std::byte* out) const noexcept override {
    return launch_vectors(variance_kernel<warp_threads>, variance_kernel<block_threads>, batch, vectors_, in, out);
  }

 private:
  Vectors vectors_;
};

}  // namespace

Result<std::unique_ptr<const CudaStep>> make_cuda_variance(const Step& step, Weights&) {
  return std::make_unique<VarianceCudaStep>(static_cast<const VarianceStep&>(step).vectors());
}

}  // namespace headrace::gpu::cuda
