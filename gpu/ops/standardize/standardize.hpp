#pragma once
// standardize: y = (x − mean) / max(√(Σ(x − mean)²/n), epsilon), over the last dimension of an FP32 row, each vector by
// itself. epsilon is 1e-6 unless given. A vector of equal elements is 0 throughout; with epsilon 0 it is NaN.
//
// Tolerance: NormalizeStep's. NaN or an infinity anywhere makes the whole vector NaN.

#include <cmath>
#include <string_view>

#include "gpu/ops/host_device.hpp"

namespace headrace::gpu {

struct StandardizeRule {
  static constexpr std::string_view op = "standardize";
  static constexpr bool centred = true;
  float epsilon = 1e-6f;

  HEADRACE_HOST_DEVICE double scale(double squares, double width) const {
    const double size = std::sqrt(squares / width);
    const auto least = static_cast<double>(epsilon);
    return 1 / (size < least ? least : size);
  }
};

}  // namespace headrace::gpu
