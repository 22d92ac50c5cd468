#pragma once
#include "gpu/ops/host_device.hpp"

namespace headrace::gpu {

struct ReluExpression {
  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    return x < Real{0} ? Real{0} : x;  // written so that NaN, for which the comparison is false, passes through
  }
};

}  // namespace headrace::gpu
