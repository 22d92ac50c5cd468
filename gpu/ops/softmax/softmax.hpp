#pragma once
// softmax: y_i = exp(x_i - max x) / Σ_j exp(x_j - max x), over the last dimension of an FP32 row: the whole row when it
// has one dimension; each vector by itself when it has more. A row without dimensions is a vector of one element.
//
// Exponentials in FP32, their sum in float64, so that long rows stay accurate.
// A vector that holds a NaN or +infinity, or only -infinity, is NaN throughout; beside finite values -infinity gives 0.

#include "gpu/ops/step.hpp"
#include "gpu/ops/vectors.hpp"

namespace headrace::gpu {

class SoftmaxStep final : public Step {
 public:
  explicit SoftmaxStep(const TensorType& type);

  const Vectors& vectors() const noexcept { return vectors_; }

  Tolerance tolerance() const noexcept override { return {1e-7, 2e-6}; }
  void reference(std::span<const double> in, std::span<double> out) const override;
  void run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept override;
  bool in_place() const noexcept override { return true; }

 private:
  Vectors vectors_;
};

}  // namespace headrace::gpu
