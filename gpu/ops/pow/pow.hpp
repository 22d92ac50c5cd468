#pragma once
// pow: y = x^exponent, for each element of an FP32 row of any shape. exponent is a finite FP32 number.
//
// Tolerance: 8 units in the last place. The edges are those of C's pow: below zero NaN unless the exponent is a whole
// number; anything to the power 0 is 1, NaN too; 0 to a negative power is an infinity.

#include <string_view>

#include "gpu/ops/host_device.hpp"
#include "gpu/ops/math.hpp"
#include "gpu/ops/tolerance.hpp"

namespace headrace::gpu {

struct PowExpression {
  static constexpr std::string_view op = "pow";
  float exponent = 1;

  Tolerance tolerance() const noexcept { return {0x1p-148, 0x1p-20}; }

  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    return exponent == 0 ? Real{1} : power(x, static_cast<Real>(exponent));
  }
};

}  // namespace headrace::gpu
