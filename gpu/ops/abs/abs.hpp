#pragma once
// abs: y = |x|, for each element of an FP32 row of any shape. Exact: -0 gives 0, -infinity gives infinity, NaN stays
// NaN.

#include <string_view>

#include "gpu/ops/host_device.hpp"
#include "gpu/ops/math.hpp"
#include "gpu/ops/tolerance.hpp"

namespace headrace::gpu {

struct AbsExpression {
  static constexpr std::string_view op = "abs";

  Tolerance tolerance() const noexcept { return {}; }

  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    return absolute(x);
  }
};

}  // namespace headrace::gpu
