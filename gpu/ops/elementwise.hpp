#pragma once
// The CPU form and the reference of every element-wise FP32 operator, from its one expression.

#include <cstddef>
#include <span>

namespace headrace::gpu {

/// y[i] = expression(x[i]); in place when both are the same, otherwise they do not overlap. The two cases are told
/// apart because a loop that might overlap itself is not vectorised.
template <class Expression>
void transform_floats(const Expression expression, const float* x, float* y, std::size_t elements) noexcept {
  if (x == y) {
    for (std::size_t i = 0; i < elements; ++i) y[i] = expression(y[i]);
    return;
  }
  const float* __restrict from = x;
  float* __restrict to = y;
  for (std::size_t i = 0; i < elements; ++i) to[i] = expression(from[i]);
}

/// An expression of several forms, which is asked once for the one that it is: `with_form(body)`.
template <class Expression>
void run_elementwise(const Expression expression, const std::byte* in, std::byte* out, std::size_t elements) noexcept {
  const auto run = [=](const auto form) {
    transform_floats(form, reinterpret_cast<const float*>(in), reinterpret_cast<float*>(out), elements);
  };
  if constexpr (requires { expression.with_form(run); }) {
    expression.with_form(run);
  } else {
    run(expression);
  }
}

template <class Expression>
void reference_elementwise(const Expression expression, std::span<const double> in, std::span<double> out) {
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = expression(in[i]);
}

}  // namespace headrace::gpu
