#pragma once
// log_softmax: y_i = x_i - max x - ln Σ_j exp(x_j - max x), over the last dimension of an FP32 row, each vector by
// itself.
//
// Tolerance: differences and exponentials in FP32, their sum and its logarithm in float64, the last difference in FP32.
// A vector that holds a NaN or +infinity, or only -infinity, is NaN throughout; beside finite values -infinity stays
// -infinity.

#include "gpu/ops/step.hpp"
#include "gpu/ops/vectors.hpp"

namespace headrace::gpu {

class LogSoftmaxStep final : public Step {
 public:
  explicit LogSoftmaxStep(const TensorType& type);

  const Vectors& vectors() const noexcept { return vectors_; }

  Tolerance tolerance() const noexcept override { return {1e-7, 2e-6}; }
  void reference(std::span<const double> in, std::span<double> out) const override;
  void run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept override;
  bool in_place() const noexcept override { return true; }

 private:
  Vectors vectors_;
};

}  // namespace headrace::gpu
