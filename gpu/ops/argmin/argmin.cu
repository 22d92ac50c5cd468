#include "gpu/ops/argmin/argmin.hpp"

#include "gpu/cuda/arg_step.cuh"

namespace headrace::gpu::cuda {

Result<std::unique_ptr<const CudaStep>> make_cuda_argmin(const Step& step, Weights&) {
  return std::make_unique<ArgCudaStep<ArgminRule>>(step);
}

}  // namespace headrace::gpu::cuda
