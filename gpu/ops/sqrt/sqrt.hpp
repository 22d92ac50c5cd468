#pragma once
// sqrt: y = √x, for each element of an FP32 row of any shape.
//
// Tolerance: one rounding, subnormals included. Below zero NaN; -0 stays -0, infinity stays infinity.

#include <string_view>

#include "gpu/ops/host_device.hpp"
#include "gpu/ops/math.hpp"
#include "gpu/ops/tolerance.hpp"

namespace headrace::gpu {

struct SqrtExpression {
  static constexpr std::string_view op = "sqrt";

  Tolerance tolerance() const noexcept { return one_rounding; }

  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    return square_root(x);
  }
};

}  // namespace headrace::gpu
