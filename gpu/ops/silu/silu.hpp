#pragma once
// silu: y = x / (1 + e^-x), for each element of an FP32 row of any shape.
//
// Tolerance: 6 units in the last place: the exponential's, the sum's and the quotient's; where e^-x leaves FP32's range
// (below -88) y may be -0. Infinity stays infinity; -infinity gives NaN, as the formula does; NaN stays NaN.

#include <string_view>

#include "gpu/ops/host_device.hpp"
#include "gpu/ops/math.hpp"
#include "gpu/ops/tolerance.hpp"

namespace headrace::gpu {

struct SiluExpression {
  static constexpr std::string_view op = "silu";

  Tolerance tolerance() const noexcept { return {0x1p-119, 0x1.8p-21}; }

  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    return x / (Real{1} + exponential(-x));
  }
};

}  // namespace headrace::gpu
