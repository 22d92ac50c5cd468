#pragma once
// relu: y = max(x, 0), for each element of an FP32 row of any shape. Exact. NaN passes through, -0 stays -0,
// -infinity gives 0.

#include <string_view>

#include "gpu/ops/host_device.hpp"
#include "gpu/ops/tolerance.hpp"

namespace headrace::gpu {

struct ReluExpression {
  static constexpr std::string_view op = "relu";

  Tolerance tolerance() const noexcept { return {}; }

  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    return x < Real{0} ? Real{0} : x;  // written so that NaN, for which the comparison is false, passes through
  }
};

}  // namespace headrace::gpu
