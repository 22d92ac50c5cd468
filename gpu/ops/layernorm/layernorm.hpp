#pragma once
// layernorm: y = (x − mean) / √(Σ(x − mean)²/n + epsilon), over the last dimension of an FP32 row, each vector by
// itself. epsilon is 1e-5 unless given; with 0, a vector of equal elements is NaN.
//
// Tolerance: NormalizeStep's. NaN or an infinity anywhere makes the whole vector NaN.

#include <cmath>
#include <string_view>

#include "gpu/ops/host_device.hpp"

namespace headrace::gpu {

struct LayernormRule {
  static constexpr std::string_view op = "layernorm";
  static constexpr bool centred = true;
  float epsilon = 1e-5f;

  HEADRACE_HOST_DEVICE double scale(double squares, double width) const {
    return 1 / std::sqrt(squares / width + static_cast<double>(epsilon));
  }
};

}  // namespace headrace::gpu
