#include "gpu/cuda/cuda_step.hpp"

namespace headrace::gpu::cuda {

CudaStepFactory find_cuda_step(std::string_view op) noexcept {
#define HEADRACE_OPERATOR(name) \
  if (op == #name) return make_cuda_##name;
#include "gpu/ops/operators.def"
#undef HEADRACE_OPERATOR
  return nullptr;
}

}  // namespace headrace::gpu::cuda
