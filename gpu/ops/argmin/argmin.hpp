#pragma once
// argmin: where the smallest element stands, counted from 0, over the last dimension of an FP32 row, which the INT64
// answer no longer has. Exact. Of equal elements the first; 0 and -0 are equal. Where there is a NaN, the first NaN.

#include <string_view>

#include "gpu/ops/min/min.hpp"

namespace headrace::gpu {

struct ArgminRule {
  static constexpr std::string_view op = "argmin";
  using Best = MinReduction;

  static bool is_better(double a, double b) noexcept { return a < b; }
};

}  // namespace headrace::gpu
