#pragma once
// rsqrt: y = 1 / √x, for each element of an FP32 row of any shape.
//
// Tolerance: one rounding of the root and one of the quotient. Below zero NaN; 0 gives infinity, -0 gives -infinity,
// infinity gives 0.

#include <string_view>

#include "gpu/ops/host_device.hpp"
#include "gpu/ops/math.hpp"
#include "gpu/ops/tolerance.hpp"

namespace headrace::gpu {

struct RsqrtExpression {
  static constexpr std::string_view op = "rsqrt";

  Tolerance tolerance() const noexcept { return {0, 0x1p-22}; }

  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    return Real{1} / square_root(x);
  }
};

}  // namespace headrace::gpu
