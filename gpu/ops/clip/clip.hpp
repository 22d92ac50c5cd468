#pragma once
// clip: y = min(max(x, min), max), for each element of an FP32 row of any shape. Both bounds are FP32; one may be left
// out. Exact. NaN stays NaN; a zero that equals a bound keeps its own sign.

#include <limits>
#include <string_view>

#include "gpu/ops/host_device.hpp"
#include "gpu/ops/tolerance.hpp"

namespace headrace::gpu {

struct ClipExpression {
  static constexpr std::string_view op = "clip";
  float min = -std::numeric_limits<float>::infinity();
  float max = std::numeric_limits<float>::infinity();

  Tolerance tolerance() const noexcept { return {}; }

  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    const Real raised = x < static_cast<Real>(min) ? static_cast<Real>(min) : x;
    return raised > static_cast<Real>(max) ? static_cast<Real>(max) : raised;
  }
};

}  // namespace headrace::gpu
