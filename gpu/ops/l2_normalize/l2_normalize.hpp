#pragma once
// l2_normalize: y = x / max(√Σx², epsilon), over the last dimension of an FP32 row, each vector by itself.
// epsilon is 1e-12 unless given; with 0, a vector of zeros is NaN.
//
// Tolerance: NormalizeStep's. NaN makes the whole vector NaN; an infinity is NaN itself, and beside it finite elements
// are 0.

#include <cmath>
#include <string_view>

#include "gpu/ops/host_device.hpp"

namespace headrace::gpu {

struct L2NormalizeRule {
  static constexpr std::string_view op = "l2_normalize";
  static constexpr bool centred = false;
  float epsilon = 1e-12f;

  HEADRACE_HOST_DEVICE double scale(double squares, double) const {
    const double size = std::sqrt(squares);
    const auto least = static_cast<double>(epsilon);
    return 1 / (size < least ? least : size);
  }
};

}  // namespace headrace::gpu
