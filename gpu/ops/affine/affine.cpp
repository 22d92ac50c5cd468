#include "gpu/ops/affine/affine.hpp"

#include <array>
#include <cmath>

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/elementwise.hpp"
#include "gpu/ops/parameters.hpp"

namespace headrace::gpu {
namespace {

constexpr std::array parameters{
    ParameterDescription{"scale", ParameterKind::number, false, "factor, FP32; default 1"},
    ParameterDescription{"shift", ParameterKind::number, false, "added after scaling, FP32; default 0"},
};

Result<std::unique_ptr<const Step>> bind(const StepSpec& spec, const TensorType& input) {
  if (auto fits = require_element(input, {ElementType::f32}); !fits) return tl::unexpected(std::move(fits.error()));
  auto scale = float_parameter(spec, "scale", 1);
  if (!scale) return tl::unexpected(std::move(scale.error()));
  auto shift = float_parameter(spec, "shift", 0);
  if (!shift) return tl::unexpected(std::move(shift.error()));
  return std::make_unique<AffineStep>(input, AffineExpression{*scale, *shift});
}

std::vector<std::unique_ptr<const Step>> examples(std::uint64_t) {
  std::vector<std::unique_ptr<const Step>> steps;
  const auto add = [&steps](std::vector<std::int64_t> shape, float scale, float shift) {
    steps.push_back(
        std::make_unique<AffineStep>(TensorType{ElementType::f32, std::move(shape)}, AffineExpression{scale, shift}));
  };
  add({64}, 0.0625f, 0);
  add({256}, 2, 1);
  add({1}, -3.5f, 0.1f);
  add({3, 5}, 1, 0);
  add({7}, 0, -1e-3f);
  return steps;
}

}  // namespace

AffineStep::AffineStep(const TensorType& type, AffineExpression expression)
    : Step("affine", type, type), expression_(expression) {}

Tolerance AffineStep::tolerance() const noexcept {
  return {std::abs(static_cast<double>(expression_.shift)) * 0x1p-23 + 0x1p-148, 0x1p-22};
}

void AffineStep::reference(std::span<const double> in, std::span<double> out) const {
  reference_elementwise(expression_, in, out);
}

void AffineStep::run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept {
  run_elementwise(expression_, in, out, rows * input().row_elements());
}

const Operator& affine_operator() noexcept {
  static constexpr Operator entry{"affine", "y = scale·x + shift", parameters, bind, examples};
  return entry;
}

}  // namespace headrace::gpu
