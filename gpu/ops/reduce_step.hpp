#pragma once
// The step of an operator that makes one number of each vector: all of it follows from the operator's reduction, which
// has
//   op                                    the operator's name
//   Value, neutral(), combine(a, b)       as reduce.hpp and gpu/cuda/reduction.cuh use them
//   lift(float x), finish(Value, width)   what an element counts for, and the answer
//   reference(x), tolerance(width)        the definition in float64, and how far from it the answer may be
// Empty: a row has no empty dimension.

#include <cstdint>

#include "gpu/ops/reduce.hpp"
#include "gpu/ops/vector_step.hpp"
#include "gpu/ops/vectors.hpp"

namespace headrace::gpu {

template <class Reduction>
class ReduceStep final : public Step {
 public:
  explicit ReduceStep(const TensorType& type)
      : Step(Reduction::op, type, without_last(type)), vectors_(vectors_of(type)) {}

  const Vectors& vectors() const noexcept { return vectors_; }

  Tolerance tolerance() const noexcept override { return Reduction::tolerance(vectors_.width); }

  void reference(std::span<const double> in, std::span<double> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = Reduction::reference(in.subspan(i * vectors_.width, vectors_.width));
    }
  }

  void run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept override {
    const auto* x = reinterpret_cast<const float*>(in);
    auto* y = reinterpret_cast<float*>(out);
    const auto lift = [](float value) { return Reduction::lift(value); };
    for (std::size_t i = 0; i < rows * vectors_.per_row; ++i) {
      y[i] = Reduction::finish(reduce<Reduction>(x + i * vectors_.width, vectors_.width, lift), vectors_.width);
    }
  }

 private:
  Vectors vectors_;
};

}  // namespace headrace::gpu
