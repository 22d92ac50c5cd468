#include "gpu/ops/l2_normalize/l2_normalize.hpp"

#include "gpu/cuda/normalize_step.cuh"

namespace headrace::gpu::cuda {

Result<std::unique_ptr<const CudaStep>> make_cuda_l2_normalize(const Step& step, Weights&) {
  return std::make_unique<NormalizeCudaStep<L2NormalizeRule>>(static_cast<const NormalizeStep<L2NormalizeRule>&>(step));
}

}  // namespace headrace::gpu::cuda
