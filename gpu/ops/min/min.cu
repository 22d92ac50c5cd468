#include "gpu/ops/min/min.hpp"

#include "gpu/cuda/reduce_step.cuh"

namespace headrace::gpu::cuda {

Result<std::unique_ptr<const CudaStep>> make_cuda_min(const Step& step, Weights&) {
  return std::make_unique<ReduceCudaStep<MinReduction>>(step);
}

}  // namespace headrace::gpu::cuda
