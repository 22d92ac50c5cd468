#include "gpu/cpu/cost.hpp"

#include <algorithm>

namespace headrace::gpu::cpu {

std::uint64_t row_flops(const Program& program) noexcept {
  std::uint64_t flops = 0;
  for (const auto& step : program.steps()) {
    flops += step->input().row_elements() + step->output().row_elements() + step->weight_bytes() / 2;
  }
  return std::max<std::uint64_t>(flops, 1);
}

}  // namespace headrace::gpu::cpu
