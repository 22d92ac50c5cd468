#pragma once
// gelu: y = x·Φ(x), Φ the standard normal distribution, for each element of an FP32 row of any shape.
// form: tanh takes y = ½x·(1 + tanh(√(2/π)·(x + 0.044715·x³))) instead, which some models were trained with.
//
// Tolerance: in the tails the distribution's relative error grows with x², but its value falls faster: 2e-7 covers it.
// Infinity stays infinity; -infinity gives NaN, as 0·infinity does; NaN stays NaN.

#include <cstdint>
#include <string_view>

#include "gpu/ops/host_device.hpp"
#include "gpu/ops/math.hpp"
#include "gpu/ops/tolerance.hpp"

namespace headrace::gpu {

struct GeluErf {
  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    return x * normal_distribution(x);
  }
};

struct GeluTanh {
  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    // ½·(1 + tanh u) = 1 / (1 + e^-2u); 2·√(2/π) = 1.5957691216
    const Real twice_u = static_cast<Real>(1.5957691216057308) * (x + static_cast<Real>(0.044715) * x * x * x);
    return x / (Real{1} + exponential(-twice_u));
  }
};

struct GeluExpression {
  static constexpr std::string_view op = "gelu";
  std::uint32_t tanh_form = 0;

  Tolerance tolerance() const noexcept { return {2e-7, 2e-6}; }

  template <class Real>
  HEADRACE_HOST_DEVICE Real operator()(Real x) const {
    return tanh_form == 0 ? GeluErf{}(x) : GeluTanh{}(x);
  }

  /// body(the form): a loop that chose for each element would not be vectorised.
  template <class Body>
  void with_form(const Body& body) const noexcept {
    if (tanh_form == 0) {
      body(GeluErf{});
    } else {
      body(GeluTanh{});
    }
  }
};

}  // namespace headrace::gpu
