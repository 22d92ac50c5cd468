#pragma once
// A program on one CUDA device: weights resident, one CudaStep for each step.

#include <memory>
#include <vector>

#include "gpu/cuda/cuda_step.hpp"
#include "gpu/device.hpp"

namespace headrace::gpu::cuda {

class CudaExecutable final : public Executable {
 public:
  /// Weights uploaded; the steps have not run yet. The calling thread's device is the one.
  static Result<std::unique_ptr<CudaExecutable>> make(std::shared_ptr<const Program> program, std::uint32_t rows_max);

  std::size_t device_bytes() const noexcept override { return weights_.bytes(); }
  std::size_t widest_row_bytes() const noexcept { return widest_row_bytes_; }

  /// False when the rows leave as they came.
  bool has_steps() const noexcept { return !steps_.empty(); }
  /// Where the last step leaves its rows when the first finds them in `ping`.
  std::byte* result(std::byte* ping, std::byte* pong) const noexcept { return ends_in_pong_ ? pong : ping; }
  /// All steps, one after the other, each reading where the one before wrote.
  cudaError_t enqueue_steps(const Launch& launch, std::byte* ping, std::byte* pong) const noexcept;

 private:
  CudaExecutable(std::shared_ptr<const Program> program, std::uint32_t rows_max, Weights weights);

  Weights weights_;
  std::vector<std::unique_ptr<const CudaStep>> steps_;  // without those that have nothing to do
  std::size_t widest_row_bytes_;
  bool ends_in_pong_ = false;
};

}  // namespace headrace::gpu::cuda
