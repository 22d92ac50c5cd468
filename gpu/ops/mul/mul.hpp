#pragma once
// mul: y = x · value, for each element of an FP32 row of any shape. value is a finite FP32 number.
//
// Tolerance: one rounding of the product. Beyond FP32's range it is an infinity; subnormals are kept.
// 0·infinity is NaN.

#include <string_view>

#include "gpu/ops/host_device.hpp"
#include "gpu/ops/tolerance.hpp"

namespace headrace::gpu {

struct MulExpression {
  static constexpr std::string_view op = "mul";
  float value = 0;

  Tolerance tolerance() const noexcept { return one_rounding; }

  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    return x * static_cast<Real>(value);
  }
};

}  // namespace headrace::gpu
