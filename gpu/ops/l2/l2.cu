#include "gpu/ops/l2/l2.hpp"

#include "gpu/cuda/reduce_step.cuh"

namespace headrace::gpu::cuda {

Result<std::unique_ptr<const CudaStep>> make_cuda_l2(const Step& step, Weights&) {
  return std::make_unique<ReduceCudaStep<L2Reduction>>(step);
}

}  // namespace headrace::gpu::cuda
