#pragma once
// variance: y = Σ(x − mean)² / n, over the last dimension of an FP32 row, which the answer no longer has. Divided by n,
// not n − 1: the variance of these numbers, not an estimate for others.
//
// Tolerance: the mean, then the squares around it, are carried in float64 and rounded once to FP32; the absolute part
// is what is left of the mean's own rounding where elements of up to 128 are equal. An infinity or NaN gives NaN.

#include "gpu/ops/step.hpp"
#include "gpu/ops/vectors.hpp"

namespace headrace::gpu {

class VarianceStep final : public Step {
 public:
  explicit VarianceStep(const TensorType& type);

  const Vectors& vectors() const noexcept { return vectors_; }

  Tolerance tolerance() const noexcept override { return {0x1p-90, 0x1p-22}; }
  void reference(std::span<const double> in, std::span<double> out) const override;
  void run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept override;

 private:
  Vectors vectors_;
};

}  // namespace headrace::gpu
