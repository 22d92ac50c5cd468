#include "gpu/ops/max/max.hpp"

#include "gpu/cuda/reduce_step.cuh"

namespace headrace::gpu::cuda {

Result<std::unique_ptr<const CudaStep>> make_cuda_max(const Step& step, Weights&) {
  return std::make_unique<ReduceCudaStep<MaxReduction>>(step);
}

}  // namespace headrace::gpu::cuda
