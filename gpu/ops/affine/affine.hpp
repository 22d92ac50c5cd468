#pragma once
// affine: y = scale·x + shift, for each element of an FP32 row of any shape. scale defaults to 1, shift to 0; both are
// FP32.
//
// Tolerance: one rounding of the product and one of the sum, fused or not: |shift| counts because the two may cancel.
// A product beyond FP32's range gives an infinity even where shift would bring the sum back into range.
// NaN in gives NaN out; 0·infinity is NaN; subnormals are kept.

#include "gpu/ops/affine/expression.hpp"
#include "gpu/ops/step.hpp"

namespace headrace::gpu {

class AffineStep final : public Step {
 public:
  AffineStep(const TensorType& type, AffineExpression expression);

  const AffineExpression& expression() const noexcept { return expression_; }

  Tolerance tolerance() const noexcept override;
  void reference(std::span<const double> in, std::span<double> out) const override;
  void run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept override;
  bool in_place() const noexcept override { return true; }

 private:
  AffineExpression expression_;
};

}  // namespace headrace::gpu
