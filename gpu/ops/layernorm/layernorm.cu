#include "gpu/ops/layernorm/layernorm.hpp"

#include "gpu/cuda/normalize_step.cuh"

namespace headrace::gpu::cuda {

Result<std::unique_ptr<const CudaStep>> make_cuda_layernorm(const Step& step, Weights&) {
  return std::make_unique<NormalizeCudaStep<LayernormRule>>(static_cast<const NormalizeStep<LayernormRule>&>(step));
}

}  // namespace headrace::gpu::cuda
