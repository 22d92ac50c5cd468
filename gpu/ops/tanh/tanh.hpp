#pragma once
// tanh: y = tanh x, for each element of an FP32 row of any shape.
//
// Tolerance: 4 units in the last place. Infinities give 1 and -1, -0 stays -0, NaN stays NaN.

#include <string_view>

#include "gpu/ops/host_device.hpp"
#include "gpu/ops/math.hpp"
#include "gpu/ops/tolerance.hpp"

namespace headrace::gpu {

struct TanhExpression {
  static constexpr std::string_view op = "tanh";

  Tolerance tolerance() const noexcept { return {0x1p-149, 0x1p-21}; }

  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    return hyperbolic_tangent(x);
  }
};

}  // namespace headrace::gpu
