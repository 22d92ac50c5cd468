#pragma once
// leaky_relu: y = x where x >= 0 and slope·x below, for each element of an FP32 row of any shape. slope is a finite
// FP32 number, 0.01 unless given.
//
// Tolerance: one rounding of the product. NaN stays NaN, -0 stays -0; a slope of 0 gives NaN for -infinity.

#include <string_view>

#include "gpu/ops/host_device.hpp"
#include "gpu/ops/tolerance.hpp"

namespace headrace::gpu {

struct LeakyReluExpression {
  static constexpr std::string_view op = "leaky_relu";
  float slope = 0.01f;

  Tolerance tolerance() const noexcept { return one_rounding; }

  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    return x < Real{0} ? static_cast<Real>(slope) * x : x;
  }
};

}  // namespace headrace::gpu
