#include "gpu/ops/standardize/standardize.hpp"

#include "gpu/cuda/normalize_step.cuh"

namespace headrace::gpu::cuda {

Result<std::unique_ptr<const CudaStep>> make_cuda_standardize(const Step& step, Weights&) {
  return std::make_unique<NormalizeCudaStep<StandardizeRule>>(static_cast<const NormalizeStep<StandardizeRule>&>(step));
}

}  // namespace headrace::gpu::cuda
