#pragma once
// The CUDA form of every operator y = (x − centre)·scale over each vector, from the operator's rule.

#include <memory>

#include "gpu/cuda/reduction.cuh"
#include "gpu/ops/normalize_step.hpp"

namespace headrace::gpu::cuda {

template <class Rule, unsigned threads>
__global__ void __launch_bounds__(block_threads)
    normalize_kernel(const float* in, float* out, const std::uint32_t* rows, std::uint64_t vectors_per_row,
                     std::uint64_t width, const Rule rule) {
  each_vector<threads>(rows, vectors_per_row, [&](std::uint64_t vector) {
    const float* x = in + vector * width;
    double centre = 0;
    if constexpr (Rule::centred) centre = mean_of<threads>(x, width);
    const double scale = rule.scale(squares_around<threads>(centre, x, width), static_cast<double>(width));
    map_elements<threads>(x, out + vector * width, width, [&](float value) {
      return static_cast<float>((static_cast<double>(value) - centre) * scale);
    });
  });
}

template <class Rule>
class NormalizeCudaStep final : public CudaStep {
 public:
  explicit NormalizeCudaStep(const NormalizeStep<Rule>& step) noexcept : rule_(step.rule()), vectors_(step.vectors()) {}

  cudaError_t enqueue(const Launch& batch, const std::byte* in, std::byte* out) const noexcept override {
    return launch_vectors(normalize_kernel<Rule, warp_threads>, normalize_kernel<Rule, block_threads>, batch, vectors_,
                          in, out, rule_);
  }
  bool in_place() const noexcept override { return true; }

 private:
  Rule rule_;
  Vectors vectors_;
};

}  // namespace headrace::gpu::cuda
