#pragma once
// relu: y = max(x, 0), for each element of an FP32 row of any shape. Exact. NaN passes through, -0 stays -0,
// -infinity gives 0.

#include "gpu/ops/relu/expression.hpp"
#include "gpu/ops/step.hpp"

namespace headrace::gpu {

class ReluStep final : public Step {
 public:
  explicit ReluStep(const TensorType& type);

  const ReluExpression& expression() const noexcept { return expression_; }

  Tolerance tolerance() const noexcept override { return {}; }
  void reference(std::span<const double> in, std::span<double> out) const override;
  void run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept override;
  bool in_place() const noexcept override { return true; }

 private:
  ReluExpression expression_;
};

}  // namespace headrace::gpu
