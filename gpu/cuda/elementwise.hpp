#pragma once
// The CUDA form of every element-wise FP32 operator: a link of a chain. A program's neighbouring links become one step.

#include "gpu/cuda/chain.hpp"
#include "gpu/cuda/cuda_step.hpp"

namespace headrace::gpu::cuda {

/// One element-wise operator, as its .cu makes it. The executable joins it to its neighbours and never enqueues it.
class ElementwiseStep final : public CudaStep {
 public:
  explicit ElementwiseStep(const ChainLink& link) noexcept : link_(link) {}

  cudaError_t enqueue(const Launch&, const std::byte*, std::byte*) const noexcept override {
    return cudaErrorInvalidValue;
  }
  bool in_place() const noexcept override { return true; }
  const ChainLink* link() const noexcept override { return &link_; }

 private:
  ChainLink link_;
};

/// A chain over contiguous rows in device memory, from `in` to `out`, which may be the same.
cudaError_t enqueue_chain(const Launch& launch, const Chain& chain, const std::byte* in, std::byte* out,
                          std::size_t row_elements) noexcept;

}  // namespace headrace::gpu::cuda
