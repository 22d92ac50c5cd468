#pragma once
// sub: y = x - value, for each element of an FP32 row of any shape. value is a finite FP32 number.
//
// Tolerance: one rounding of the difference. Beyond FP32's range it is an infinity; subnormals are kept.
// The value is finite, so that only NaN gives NaN; an infinity stays what it is.

#include <string_view>

#include "gpu/ops/host_device.hpp"
#include "gpu/ops/tolerance.hpp"

namespace headrace::gpu {

struct SubExpression {
  static constexpr std::string_view op = "sub";
  float value = 0;

  Tolerance tolerance() const noexcept { return one_rounding; }

  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    return x - static_cast<Real>(value);
  }
};

}  // namespace headrace::gpu
