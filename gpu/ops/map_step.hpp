#pragma once
// The step of an element-wise FP32 operator: all of it follows from the operator's expression, which has
//   static constexpr std::string_view op      the operator's name
//   Tolerance tolerance() const               how exact the expression is in FP32
//   Real operator()(Real x) const             the formula: in double the reference, in float the CPU and CUDA forms

#include <concepts>
#include <memory>
#include <vector>

#include "gpu/ops/elementwise.hpp"
#include "gpu/ops/parameters.hpp"
#include "gpu/ops/step.hpp"

namespace headrace::gpu {

using Steps = std::vector<std::unique_ptr<const Step>>;

template <class Expression>
class MapStep final : public Step {
 public:
  explicit MapStep(const TensorType& type, Expression expression = {})
      : Step(Expression::op, type, type), expression_(expression) {}

  const Expression& expression() const noexcept { return expression_; }

  Tolerance tolerance() const noexcept override { return expression_.tolerance(); }
  void reference(std::span<const double> in, std::span<double> out) const override {
    reference_elementwise(expression_, in, out);
  }
  void run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept override {
    run_elementwise(expression_, in, out, rows * input().row_elements());
  }
  bool in_place() const noexcept override { return true; }

 private:
  Expression expression_;
};

/// What `bind` of an element-wise operator ends with: FP32 rows of any shape.
template <class Expression>
Result<std::unique_ptr<const Step>> bind_map(const TensorType& input, const Expression& expression) {
  if (auto fits = require_element(input, {ElementType::f32}); !fits) return tl::unexpected(std::move(fits.error()));
  return std::make_unique<MapStep<Expression>>(input, expression);
}

/// `bind` of an operator whose one parameter is a number that its expression is made of.
template <class Expression>
Result<std::unique_ptr<const Step>> bind_map(const TensorType& input, const Result<float>& parameter) {
  if (!parameter) return tl::unexpected(parameter.error());
  return bind_map(input, Expression{*parameter});
}

/// `bind` of an operator without parameters.
template <class Expression>
Result<std::unique_ptr<const Step>> bind_plain_map(const StepSpec&, const TensorType& input) {
  return bind_map(input, Expression{});
}

/// Each of these expressions over rows that no vector length divides among them.
template <class Expression, std::same_as<Expression>... More>
Steps map_examples(const Expression& first, const More&... more) {
  Steps steps;
  for (const Expression& expression : {first, more...}) {
    for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{128}, {1}, {3, 5}}) {
      steps.push_back(std::make_unique<MapStep<Expression>>(TensorType{ElementType::f32, shape}, expression));
    }
  }
  return steps;
}

/// `examples` of an operator without parameters.
template <class Expression>
Steps plain_map_examples(std::uint64_t) {
  return map_examples(Expression{});
}

}  // namespace headrace::gpu
