#pragma once
// log: y = ln x, for each element of an FP32 row of any shape.
//
// Tolerance: 4 units in the last place, near 1 as well. 0 and -0 give -infinity, below zero NaN, infinity stays
// infinity; subnormals are taken at their value.

#include <string_view>

#include "gpu/ops/host_device.hpp"
#include "gpu/ops/math.hpp"
#include "gpu/ops/tolerance.hpp"

namespace headrace::gpu {

struct LogExpression {
  static constexpr std::string_view op = "log";

  Tolerance tolerance() const noexcept { return {0, 0x1p-21}; }

  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    return logarithm(x);
  }
};

}  // namespace headrace::gpu
