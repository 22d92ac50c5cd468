#include "gpu/cuda/elementwise.cuh"
#include "gpu/ops/affine/affine.hpp"

namespace headrace::gpu::cuda {

Result<std::unique_ptr<const CudaStep>> make_cuda_affine(const Step& step, Weights&) {
  const auto& expression = static_cast<const AffineStep&>(step).expression();
  return std::make_unique<ElementwiseStep<AffineExpression>>(expression, step.input().row_elements());
}

}  // namespace headrace::gpu::cuda
