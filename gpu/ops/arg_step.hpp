#pragma once
// The step of an operator that finds where in each vector the best element stands. Its rule has
//   op                       the operator's name
//   Best                     the reduction that finds the best element; NaN is better than any number
//   is_better(a, b)          the definition, of numbers
// The answer is INT64, counted from 0; of equal elements (−0 and 0 are) the first.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "gpu/ops/reduce.hpp"
#include "gpu/ops/vector_step.hpp"
#include "gpu/ops/vectors.hpp"

namespace headrace::gpu {

template <class Rule>
class ArgStep final : public Step {
 public:
  explicit ArgStep(const TensorType& type)
      : Step(Rule::op, type, {ElementType::i64, without_last(type).row_shape}), vectors_(vectors_of(type)) {}

  const Vectors& vectors() const noexcept { return vectors_; }

  Tolerance tolerance() const noexcept override { return {}; }

  void reference(std::span<const double> in, std::span<double> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto x = in.subspan(i * vectors_.width, vectors_.width);
      std::size_t best = 0;
      for (std::size_t at = 1; at < x.size() && !std::isnan(x[best]); ++at) {
        if (std::isnan(x[at]) || Rule::is_better(x[at], x[best])) best = at;
      }
      out[i] = static_cast<double>(best);
    }
  }

  void run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept override {
    const auto* x = reinterpret_cast<const float*>(in);
    auto* y = reinterpret_cast<std::int64_t*>(out);
    const std::size_t width = vectors_.width;
    for (std::size_t i = 0; i < rows * vectors_.per_row; ++i, x += width) {
      const float best = reduce<typename Rule::Best>(x, width, [](float value) { return value; });
      // Where there is a NaN, best is one, and nothing equals it.
      y[i] = std::find_if(x, x + width, [best](float value) { return value == best || std::isnan(value); }) - x;
    }
  }

 private:
  Vectors vectors_;
};

}  // namespace headrace::gpu
