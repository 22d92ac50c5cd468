#include "gpu/ops/argmax/argmax.hpp"

#include "gpu/cuda/arg_step.cuh"

namespace headrace::gpu::cuda {

Result<std::unique_ptr<const CudaStep>> make_cuda_argmax(const Step& step, Weights&) {
  return std::make_unique<ArgCudaStep<ArgmaxRule>>(step);
}

}  // namespace headrace::gpu::cuda
