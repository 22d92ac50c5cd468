#pragma once
// rmsnorm: y = x / √(Σx²/n + epsilon), over the last dimension of an FP32 row, each vector by itself.
// epsilon is 1e-5 unless given; with 0, a vector of zeros is NaN.
//
// Tolerance: NormalizeStep's. NaN makes the whole vector NaN; an infinity is NaN itself, and beside it finite elements
// are 0.

#include <cmath>
#include <string_view>

#include "gpu/ops/host_device.hpp"

namespace headrace::gpu {

struct RmsnormRule {
  static constexpr std::string_view op = "rmsnorm";
  static constexpr bool centred = false;
  float epsilon = 1e-5f;

  HEADRACE_HOST_DEVICE double scale(double squares, double width) const {
    return 1 / std::sqrt(squares / width + static_cast<double>(epsilon));
  }
};

}  // namespace headrace::gpu
