#include "gpu/cuda/elementwise.cuh"
#include "gpu/ops/relu/relu.hpp"

namespace headrace::gpu::cuda {

Result<std::unique_ptr<const CudaStep>> make_cuda_relu(const Step& step, Weights&) {
  const auto& expression = static_cast<const ReluStep&>(step).expression();
  return std::make_unique<ElementwiseStep<ReluExpression>>(expression, step.input().row_elements());
}

}  // namespace headrace::gpu::cuda
