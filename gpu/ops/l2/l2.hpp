#pragma once
// l2: y = √Σ x², the Euclidean length, over the last dimension of an FP32 row, which the answer no longer has.
//
// Tolerance: squares and their sum are carried in float64, so that none overflows or is lost; one rounding to FP32.
// An infinity gives infinity, NaN gives NaN.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "gpu/ops/host_device.hpp"
#include "gpu/ops/tolerance.hpp"

namespace headrace::gpu {

struct L2Reduction {
  static constexpr std::string_view op = "l2";
  using Value = double;

  static Tolerance tolerance(std::size_t) noexcept { return one_rounding; }
  static double reference(std::span<const double> x) {
    double squares = 0;
    for (const double value : x) squares += value * value;
    return std::sqrt(squares);
  }

  HEADRACE_HOST_DEVICE static Value neutral() { return 0; }
  HEADRACE_HOST_DEVICE static Value lift(float x) { return static_cast<double>(x) * static_cast<double>(x); }
  HEADRACE_HOST_DEVICE static Value combine(Value a, Value b) { return a + b; }
  HEADRACE_HOST_DEVICE static float finish(Value value, std::uint64_t) { return static_cast<float>(std::sqrt(value)); }
};

}  // namespace headrace::gpu
