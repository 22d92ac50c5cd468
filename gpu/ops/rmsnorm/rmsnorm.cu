#include "gpu/ops/rmsnorm/rmsnorm.hpp"

#include "gpu/cuda/normalize_step.cuh"

namespace headrace::gpu::cuda {

Result<std::unique_ptr<const CudaStep>> make_cuda_rmsnorm(const Step& step, Weights&) {
  return std::make_unique<NormalizeCudaStep<RmsnormRule>>(static_cast<const NormalizeStep<RmsnormRule>&>(step));
}

}  // namespace headrace::gpu::cuda
