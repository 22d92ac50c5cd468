#pragma once
// The CUDA form of every operator that finds where in each vector the best element stands.

#include <memory>

#include "gpu/cuda/reduction.cuh"
#include "gpu/ops/arg_step.hpp"

namespace headrace::gpu::cuda {

struct Lowest {
  using Value = std::uint64_t;
  static __device__ Value neutral() { return ~Value{0}; }
  static __device__ Value combine(Value a, Value b) { return b < a ? b : a; }
};

/// First the best element, then the first that is as good: exact in any order.
template <class Best, unsigned threads>
__global__ void __launch_bounds__(block_threads)
    arg_kernel(const float* in, std::int64_t* out, const std::uint32_t* rows, std::uint64_t vectors_per_row,
               std::uint64_t width) {
  each_vector<threads>(rows, vectors_per_row, [&](std::uint64_t vector) {
    const float* x = in + vector * width;
    float best = Best::neutral();
    each_element<threads>(x, width, [&](float value) { best = Best::combine(best, value); });
    best = across<Best, threads>(best);
    std::uint64_t first = Lowest::neutral();
    for (std::uint64_t i = threadIdx.x % threads; i < width; i += threads) {
      if (x[i] != best && !isnan(x[i])) continue;  // where there is a NaN, best is one, and nothing equals it
      first = i;
      break;
    }
    first = across<Lowest, threads>(first);
    if (threadIdx.x % threads == 0) out[vector] = static_cast<std::int64_t>(first);
  });
}

template <class Rule>
class ArgCudaStep final : public CudaStep {
 public:
  explicit ArgCudaStep(const Step& step) noexcept : vectors_(static_cast<const ArgStep<Rule>&>(step).vectors()) {}

  cudaError_t enqueue(const Launch& batch, const std::byte* in, std::byte* out) const noexcept override {
    using Best = typename Rule::Best;
    return launch_vectors(arg_kernel<Best, warp_threads>, arg_kernel<Best, block_threads>, batch, vectors_, in, out);
  }

 private:
  Vectors vectors_;
};

}  // namespace headrace::gpu::cuda
