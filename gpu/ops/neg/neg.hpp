#pragma once
// neg: y = -x, for each element of an FP32 row of any shape. Exact: the sign is turned, of zeros and infinities as
// well; NaN stays NaN.

#include <string_view>

#include "gpu/ops/host_device.hpp"
#include "gpu/ops/tolerance.hpp"

namespace headrace::gpu {

struct NegExpression {
  static constexpr std::string_view op = "neg";

  Tolerance tolerance() const noexcept { return {}; }

  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    return -x;
  }
};

}  // namespace headrace::gpu
