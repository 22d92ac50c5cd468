#pragma once
// The CUDA form of every operator that makes one number of each vector, from the operator's reduction.

#include <memory>

#include "gpu/cuda/reduction.cuh"
#include "gpu/ops/reduce_step.hpp"

namespace headrace::gpu::cuda {

template <class Reduction, unsigned threads>
__global__ void __launch_bounds__(block_threads) reduce_kernel(const float* in, float* out, const std::uint32_t* rows,
                                                               std::uint64_t vectors_per_row, std::uint64_t width) {
  each_vector<threads>(rows, vectors_per_row, [&](std::uint64_t vector) {
    auto value = Reduction::neutral();
    each_element<threads>(in + vector * width, width,
                          [&](float x) { value = Reduction::combine(value, Reduction::lift(x)); });
    value = across<Reduction, threads>(value);
    if (threadIdx.x % threads == 0) out[vector] = Reduction::finish(value, width);
  });
}

template <class Reduction>
class ReduceCudaStep final : public CudaStep {
 public:
  explicit ReduceCudaStep(const Step& step) noexcept
      : vectors_(static_cast<const ReduceStep<Reduction>&>(step).vectors()) {}

  cudaError_t enqueue(const Launch& batch, const std::byte* in, std::byte* out) const noexcept override {
    return launch_vectors(reduce_kernel<Reduction, warp_threads>, reduce_kernel<Reduction, block_threads>, batch,
                          vectors_, in, out);
  }

 private:
  Vectors vectors_;
};

}  // namespace headrace::gpu::cuda
