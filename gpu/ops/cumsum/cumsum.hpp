#pragma once
// cumsum: y_i = Σ_{j ≤ i} x_j, over the last dimension of an FP32 row, each vector by itself.
//
// Tolerance: sums are carried in float64, in whatever order the device takes, and rounded once to FP32; where terms
// cancel, what float64 loses on vectors of up to 2^20 elements of up to 128. Beyond FP32's range an infinity; from the
// first infinity on it stays, from the first NaN or the meeting of two infinities on all is NaN.

#include "gpu/ops/step.hpp"
#include "gpu/ops/vectors.hpp"

namespace headrace::gpu {

class CumsumStep final : public Step {
 public:
  explicit CumsumStep(const TensorType& type);

  const Vectors& vectors() const noexcept { return vectors_; }

  Tolerance tolerance() const noexcept override { return {0x1p-26, 0x1p-23}; }
  void reference(std::span<const double> in, std::span<double> out) const override;
  void run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept override;
  bool in_place() const noexcept override { return true; }

 private:
  Vectors vectors_;
};

}  // namespace headrace::gpu
