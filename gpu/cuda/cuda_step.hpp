#pragma once
// The CUDA form of one bound step, made by gpu/ops/<name>/<name>.cu.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "gpu/cuda/weights.hpp"
#include "gpu/ops/step.hpp"

namespace headrace::gpu::cuda {

/// One batch on its way. The grid is sized from `rows`; the kernel reads how many rows there are from `rows_device`,
/// which is at most `rows`: so a captured launch serves every smaller batch.
struct Launch {
  cudaStream_t stream = nullptr;
  std::uint32_t rows = 0;
  const std::uint32_t* rows_device = nullptr;  // device memory
};

struct ChainLink;

class CudaStep {
 public:
  virtual ~CudaStep() = default;

  /// Launches the step over contiguous rows; both pointers are device memory aligned to 256 bytes, distinct unless
  /// in_place(). Allocates nothing; keeps no state. Returns what the launch returned.
  virtual cudaError_t enqueue(const Launch& launch, const std::byte* in, std::byte* out) const noexcept = 0;
  /// May be given the same pointer twice.
  virtual bool in_place() const noexcept { return false; }
  /// There is nothing to do: the rows are the answer as they stand, and enqueue() is not called.
  virtual bool is_nothing() const noexcept { return false; }
  /// Not null for an element-wise step: the executable joins it to its neighbours instead of calling enqueue().
  virtual const ChainLink* link() const noexcept { return nullptr; }
};

using CudaStepFactory = Result<std::unique_ptr<const CudaStep>> (*)(const Step& step, Weights& weights);

/// The factory of that operator, expanded from operators.def; null when there is none.
CudaStepFactory find_cuda_step(std::string_view op) noexcept;

// Each operator's factory: `step` is of the operator's own class.
#define HEADRACE_OPERATOR(name) \
  Result<std::unique_ptr<const CudaStep>> make_cuda_##name(const Step& step, Weights& weights);
#include "gpu/ops/operators.def"
#undef HEADRACE_OPERATOR

}  // namespace headrace::gpu::cuda
