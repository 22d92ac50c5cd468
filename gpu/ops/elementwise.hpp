#pragma once
// The CPU form and the reference of every element-wise FP32 operator, from its one expression.

#include <cstddef>
#include <span>

namespace headrace::gpu {

/// Contiguous floats in and out; in place when both are the same. Written so that the compiler vectorises it.
template <class Expression>
void run_elementwise(const Expression expression, const std::byte* in, std::byte* out, std::size_t elements) noexcept {
  const auto* x = reinterpret_cast<const float*>(in);
  auto* y = reinterpret_cast<float*>(out);
  for (std::size_t i = 0; i < elements; ++i) y[i] = expression(x[i]);
}

template <class Expression>
void reference_elementwise(const Expression expression, std::span<const double> in, std::span<double> out) {
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = expression(in[i]);
}

}  // namespace headrace::gpu
