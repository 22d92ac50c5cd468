#include "gpu/cuda/elementwise.hpp"
#include "gpu/ops/affine/affine.hpp"

namespace headrace::gpu::cuda {

Result<std::unique_ptr<const CudaStep>> make_cuda_affine(const Step& step, Weights&) {
  return std::make_unique<ElementwiseStep>(link_of(static_cast<const AffineStep&>(step).expression()));
}

}  // namespace headrace::gpu::cuda
