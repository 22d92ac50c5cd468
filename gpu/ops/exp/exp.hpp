#pragma once
// exp: y = e^x, for each element of an FP32 row of any shape.
//
// Tolerance: 4 units in the last place, subnormal results included. Above 88.7 infinity, below -104 0; NaN stays NaN.

#include <string_view>

#include "gpu/ops/host_device.hpp"
#include "gpu/ops/math.hpp"
#include "gpu/ops/tolerance.hpp"

namespace headrace::gpu {

struct ExpExpression {
  static constexpr std::string_view op = "exp";

  Tolerance tolerance() const noexcept { return {0x1p-147, 0x1p-21}; }

  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    return exponential(x);
  }
};

}  // namespace headrace::gpu
