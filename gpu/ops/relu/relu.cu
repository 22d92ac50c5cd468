#include "gpu/cuda/elementwise.hpp"
#include "gpu/ops/relu/relu.hpp"

namespace headrace::gpu::cuda {

Result<std::unique_ptr<const CudaStep>> make_cuda_relu(const Step& step, Weights&) {
  return std::make_unique<ElementwiseStep>(link_of(static_cast<const ReluStep&>(step).expression()));
}

}  // namespace headrace::gpu::cuda
