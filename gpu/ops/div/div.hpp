#pragma once
// div: y = x / value, for each element of an FP32 row of any shape. value is a finite FP32 number other than 0.
//
// Tolerance: one rounding of the quotient. Beyond FP32's range it is an infinity; subnormals are kept, NaN stays NaN.

#include <string_view>

#include "gpu/ops/host_device.hpp"
#include "gpu/ops/tolerance.hpp"

namespace headrace::gpu {

struct DivExpression {
  static constexpr std::string_view op = "div";
  float value = 1;

  Tolerance tolerance() const noexcept { return one_rounding; }

  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    return x / static_cast<Real>(value);
  }
};

}  // namespace headrace::gpu
