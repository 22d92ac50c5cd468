#pragma once
// max: y = max x, the largest element, over the last dimension of an FP32 row, which the answer no longer has.
// Exact, but a zero may have either sign where both are there. A NaN anywhere gives NaN.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "gpu/ops/host_device.hpp"
#include "gpu/ops/tolerance.hpp"

namespace headrace::gpu {

struct MaxReduction {
  static constexpr std::string_view op = "max";
  using Value = float;

  static Tolerance tolerance(std::size_t) noexcept { return {0, 0x1p-30}; }
  static double reference(std::span<const double> x) {
    double best = x.front();
    for (const double value : x) {
      if (value > best || std::isnan(value)) best = value;
      if (std::isnan(best)) return best;
    }
    return best;
  }

  HEADRACE_HOST_DEVICE static Value neutral() { return -INFINITY; }
  HEADRACE_HOST_DEVICE static Value lift(float x) { return x; }
  HEADRACE_HOST_DEVICE static Value combine(Value a, Value b) { return b > a || std::isnan(b) ? b : a; }
  HEADRACE_HOST_DEVICE static float finish(Value value, std::uint64_t) { return value; }
};

}  // namespace headrace::gpu
