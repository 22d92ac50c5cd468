#include "gpu/cuda/cuda_step.hpp"

namespace headrace::gpu::cuda {
namespace {

class IdentityCudaStep final : public CudaStep {
 public:
  cudaError_t enqueue(const Launch&, const std::byte*, std::byte*) const noexcept override { return cudaSuccess; }
  bool in_place() const noexcept override { return true; }
  bool is_nothing() const noexcept override { return true; }
};

}  // namespace

Result<std::unique_ptr<const CudaStep>> make_cuda_identity(const Step&, Weights&) {
  return std::make_unique<IdentityCudaStep>();
}

}  // namespace headrace::gpu::cuda
