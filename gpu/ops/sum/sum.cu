#include "gpu/ops/sum/sum.hpp"

#include "gpu/cuda/reduce_step.cuh"

namespace headrace::gpu::cuda {

Result<std::unique_ptr<const CudaStep>> make_cuda_sum(const Step& step, Weights&) {
  return std::make_unique<ReduceCudaStep<SumReduction>>(step);
}

}  // namespace headrace::gpu::cuda
