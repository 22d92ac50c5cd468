#pragma once
// The CUDA form of every element-wise FP32 operator, from its one expression.

#include <cstdint>

#include "gpu/cuda/cuda_step.hpp"
#include "gpu/cuda/launch.cuh"

namespace headrace::gpu::cuda {

inline constexpr unsigned elementwise_threads = 256;
inline constexpr unsigned elementwise_blocks_max = 4096;

template <class Expression>
__global__ void __launch_bounds__(elementwise_threads)
    elementwise_kernel(Expression expression, const float* x, float* y, const std::uint32_t* rows,
                       std::uint64_t row_elements) {
  const std::uint64_t elements = *rows * row_elements;
  const std::uint64_t quads = elements / 4;
  const std::uint64_t thread = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  const std::uint64_t threads = gridDim.x * std::uint64_t{blockDim.x};
  const auto* x4 = reinterpret_cast<const float4*>(x);
  auto* y4 = reinterpret_cast<float4*>(y);
  for (std::uint64_t i = thread; i < quads; i += threads) {
    const float4 v = x4[i];
    y4[i] = make_float4(expression(v.x), expression(v.y), expression(v.z), expression(v.w));
  }
  const std::uint64_t left = quads * 4 + thread;
  if (left < elements) y[left] = expression(x[left]);
}

template <class Expression>
class ElementwiseStep final : public CudaStep {
 public:
  ElementwiseStep(const Expression& expression, std::size_t row_elements) noexcept
      : expression_(expression), row_elements_(row_elements) {}

  cudaError_t enqueue(const Launch& batch, const std::byte* in, std::byte* out) const noexcept override {
    const std::size_t quads = (batch.rows * row_elements_ + 3) / 4;
    const Grid grid{dim3(blocks_for(quads, elementwise_threads, elementwise_blocks_max)), dim3(elementwise_threads)};
    return launch(elementwise_kernel<Expression>, grid, batch.stream, expression_, reinterpret_cast<const float*>(in),
                  reinterpret_cast<float*>(out), batch.rows_device, row_elements_);
  }
  bool in_place() const noexcept override { return true; }

 private:
  Expression expression_;
  std::size_t row_elements_;
};

}  // namespace headrace::gpu::cuda
