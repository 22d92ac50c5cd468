// The CUDA form of every element-wise operator: its expression as a link of a chain.

#include "gpu/cuda/elementwise.hpp"
#include "gpu/ops/map_step.hpp"

namespace headrace::gpu::cuda {

#define HEADRACE_ELEMENTWISE(name, type)                                                 \
  Result<std::unique_ptr<const CudaStep>> make_cuda_##name(const Step& step, Weights&) { \
    const auto& expression = static_cast<const MapStep<type>&>(step).expression();       \
    return std::make_unique<ElementwiseStep>(link_of(expression));                       \
  }
#include "gpu/ops/elementwise.def"
#undef HEADRACE_ELEMENTWISE

}  // namespace headrace::gpu::cuda
