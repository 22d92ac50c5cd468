#pragma once
#include "gpu/ops/host_device.hpp"

namespace headrace::gpu {

struct AffineExpression {
  float scale = 1;
  float shift = 0;

  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    return static_cast<Real>(scale) * x + static_cast<Real>(shift);
  }
};

}  // namespace headrace::gpu
