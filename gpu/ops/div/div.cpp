#include "gpu/ops/div/div.hpp"

#include <array>

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/map_step.hpp"

namespace headrace::gpu {
namespace {

constexpr std::array parameters{
    ParameterDescription{"value", ParameterKind::number, true, "divisor other than 0, FP32"},
};

Result<std::unique_ptr<const Step>> bind(const StepSpec& spec, const TensorType& input) {
  const auto value = float_parameter(spec, "value", 1);
  if (value && *value == 0) {
    const double given = std::get<double>(spec.parameters.at("value"));
    return refuse("value", "a number other than 0 in FP32", number_text(given));
  }
  return bind_map<DivExpression>(input, value);
}

Steps examples(std::uint64_t) { return map_examples(DivExpression{3}, DivExpression{-0.7f}, DivExpression{1e-30f}); }

}  // namespace

const Operator& div_operator() noexcept {
  static constexpr Operator entry{DivExpression::op, "y = x / value", parameters, bind, examples};
  return entry;
}

}  // namespace headrace::gpu
