#pragma once
// sigmoid: y = 1 / (1 + e^-x), for each element of an FP32 row of any shape.
//
// Tolerance: 6 units in the last place: the exponential's, the sum's and the quotient's; results below the smallest
// normal number may be 0. Infinities give 1 and 0, NaN stays NaN.

#include <string_view>

#include "gpu/ops/host_device.hpp"
#include "gpu/ops/math.hpp"
#include "gpu/ops/tolerance.hpp"

namespace headrace::gpu {

struct SigmoidExpression {
  static constexpr std::string_view op = "sigmoid";

  Tolerance tolerance() const noexcept { return {0x1p-126, 0x1.8p-21}; }

  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    return Real{1} / (Real{1} + exponential(-x));
  }
};

}  // namespace headrace::gpu
