#pragma once
// mean: y = Σ x / n, over the last dimension of an FP32 row, which the answer no longer has.
//
// Tolerance: the sum is carried in float64, divided there and rounded once to FP32; where terms of up to 128 cancel,
// what float64 loses on them. Infinities of both signs give NaN, as NaN does.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "gpu/ops/host_device.hpp"
#include "gpu/ops/tolerance.hpp"

namespace headrace::gpu {

struct MeanReduction {
  static constexpr std::string_view op = "mean";
  using Value = double;

  static Tolerance tolerance(std::size_t) noexcept { return {0x1p-46, 0x1p-23}; }
  static double reference(std::span<const double> x) {
    double total = 0;
    for (const double value : x) total += value;
    return total / static_cast<double>(x.size());
  }

  HEADRACE_HOST_DEVICE static Value neutral() { return 0; }
  HEADRACE_HOST_DEVICE static Value lift(float x) { return static_cast<double>(x); }
  HEADRACE_HOST_DEVICE static Value combine(Value a, Value b) { return a + b; }
  HEADRACE_HOST_DEVICE static float finish(Value value, std::uint64_t width) {
    return static_cast<float>(value / static_cast<double>(width));
  }
};

}  // namespace headrace::gpu
