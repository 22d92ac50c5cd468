#include "gpu/ops/mean/mean.hpp"

#include "gpu/cuda/reduce_step.cuh"

namespace headrace::gpu::cuda {

Result<std::unique_ptr<const CudaStep>> make_cuda_mean(const Step& step, Weights&) {
  return std::make_unique<ReduceCudaStep<MeanReduction>>(step);
}

}  // namespace headrace::gpu::cuda
