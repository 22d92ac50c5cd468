#pragma once
// The step of an operator y = (x − centre)·scale over each vector: all of it follows from the operator's rule, which
// has
//   op                            the operator's name
//   centred                       whether centre is the mean, or 0
//   epsilon                       the operator's one parameter
//   scale(squares, width)         from Σ(x − centre)², in float64
// Mean, squares and the product are in float64 and rounded once to FP32.

#include <cstdint>
#include <memory>
#include <utility>

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/elementwise.hpp"
#include "gpu/ops/reduce.hpp"
#include "gpu/ops/vector_step.hpp"
#include "gpu/ops/vectors.hpp"

namespace headrace::gpu {

template <class Rule>
class NormalizeStep final : public Step {
 public:
  explicit NormalizeStep(const TensorType& type, Rule rule = {})
      : Step(Rule::op, type, type), rule_(rule), vectors_(vectors_of(type)) {}

  const Rule& rule() const noexcept { return rule_; }
  const Vectors& vectors() const noexcept { return vectors_; }

  /// One rounding of the answer, and what float64 loses on the mean where the vector hardly varies.
  Tolerance tolerance() const noexcept override { return {1e-7, 0x1p-22}; }

  void reference(std::span<const double> in, std::span<double> out) const override {
    const auto width = static_cast<double>(vectors_.width);
    for (std::size_t begin = 0; begin < in.size(); begin += vectors_.width) {
      const auto x = in.subspan(begin, vectors_.width);
      double centre = 0;
      if (Rule::centred) {
        for (const double value : x) centre += value;
        centre /= width;
      }
      double squares = 0;
      for (const double value : x) squares += (value - centre) * (value - centre);
      for (std::size_t i = 0; i < x.size(); ++i) out[begin + i] = (x[i] - centre) * rule_.scale(squares, width);
    }
  }

  void run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept override {
    const auto* x = reinterpret_cast<const float*>(in);
    auto* y = reinterpret_cast<float*>(out);
    const std::size_t width = vectors_.width;
    for (std::size_t i = 0; i < rows * vectors_.per_row; ++i) normalize(x + i * width, y + i * width);
  }

  bool in_place() const noexcept override { return true; }

 private:
  void normalize(const float* x, float* y) const noexcept {
    const std::size_t width = vectors_.width;
    const auto number = static_cast<double>(width);
    const double centre = Rule::centred ? mean_of(x, width) : 0;
    const double scale = rule_.scale(squares_around(centre, x, width), number);
    const auto one = [=](float value) { return static_cast<float>((static_cast<double>(value) - centre) * scale); };
    transform_floats(one, x, y, width);
  }

  Rule rule_;
  Vectors vectors_;
};

template <class Rule>
Result<std::unique_ptr<const Step>> bind_normalization(const StepSpec& spec, const TensorType& input) {
  if (auto fits = require_element(input, {ElementType::f32}); !fits) return tl::unexpected(std::move(fits.error()));
  const auto epsilon = float_parameter(spec, "epsilon", Rule{}.epsilon);
  if (!epsilon) return tl::unexpected(epsilon.error());
  if (*epsilon < 0) return refuse("epsilon", "a number of at least 0", number_text(static_cast<double>(*epsilon)));
  return std::make_unique<NormalizeStep<Rule>>(input, Rule{*epsilon});
}

template <class Rule>
std::vector<std::unique_ptr<const Step>> normalization_examples(std::uint64_t seed) {
  auto steps = vector_examples<NormalizeStep<Rule>>(seed);
  steps.push_back(std::make_unique<NormalizeStep<Rule>>(TensorType{ElementType::f32, {2, 3, 7}}, Rule{0.5f}));
  return steps;
}

}  // namespace headrace::gpu
