#pragma once
// affine: y = scale·x + shift, for each element of an FP32 row of any shape. scale defaults to 1, shift to 0; both are
// FP32.
//
// Tolerance: one rounding of the product and one of the sum, fused or not: |shift| counts because the two may cancel.
// A product beyond FP32's range gives an infinity even where shift would bring the sum back into range.
// NaN in gives NaN out; 0·infinity is NaN; subnormals are kept.

#include <cmath>
#include <string_view>

#include "gpu/ops/host_device.hpp"
#include "gpu/ops/tolerance.hpp"

namespace headrace::gpu {

struct AffineExpression {
  static constexpr std::string_view op = "affine";
  float scale = 1;
  float shift = 0;

  Tolerance tolerance() const noexcept { return {std::abs(static_cast<double>(shift)) * 0x1p-23 + 0x1p-148, 0x1p-22}; }

  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    return static_cast<Real>(scale) * x + static_cast<Real>(shift);
  }
};

}  // namespace headrace::gpu
