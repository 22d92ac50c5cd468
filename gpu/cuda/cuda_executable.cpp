#include "gpu/cuda/cuda_executable.hpp"

#include <string>
#include <utility>

namespace headrace::gpu::cuda {

CudaExecutable::CudaExecutable(std::shared_ptr<const Program> program, std::uint32_t rows_max, Weights weights)
    : Executable(std::move(program), rows_max),
      weights_(std::move(weights)),
      widest_row_bytes_(this->program().widest_row_bytes()) {}

Result<std::unique_ptr<CudaExecutable>> CudaExecutable::make(std::shared_ptr<const Program> program,
                                                             std::uint32_t rows_max) {
  auto weights = Weights::open();
  if (!weights) return tl::unexpected(std::move(weights.error()));
  std::unique_ptr<CudaExecutable> executable(new CudaExecutable(std::move(program), rows_max, std::move(*weights)));
  for (const auto& step : executable->program().steps()) {
    const CudaStepFactory factory = find_cuda_step(step->op());
    if (factory == nullptr) {
      return fail(ErrorKind::invalid_program, "operator '" + std::string(step->op()) + "' has no CUDA form");
    }
    auto made = factory(*step, executable->weights_);
    if (!made) return tl::unexpected(std::move(made.error()));
    if ((*made)->is_nothing()) continue;
    if (!(*made)->in_place()) executable->ends_in_pong_ = !executable->ends_in_pong_;
    executable->steps_.push_back(std::move(*made));
  }
  if (auto arrived = executable->weights_.finish(); !arrived) return tl::unexpected(std::move(arrived.error()));
  return executable;
}

cudaError_t CudaExecutable::enqueue_steps(const Launch& launch, std::byte* ping, std::byte* pong) const noexcept {
  std::byte* rows = ping;
  std::byte* other = pong;
  for (const auto& step : steps_) {
    std::byte* out = step->in_place() ? rows : other;
    if (const cudaError_t code = step->enqueue(launch, rows, out); code != cudaSuccess) return code;
    if (out != rows) std::swap(rows, other);
  }
  return cudaSuccess;
}

}  // namespace headrace::gpu::cuda
