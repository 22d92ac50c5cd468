#include "gpu/ops/pow/pow.hpp"

#include <array>

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/map_step.hpp"

namespace headrace::gpu {
namespace {

constexpr std::array parameters{
    ParameterDescription{"exponent", ParameterKind::number, true, "FP32"},
};

Result<std::unique_ptr<const Step>> bind(const StepSpec& spec, const TensorType& input) {
  return bind_map<PowExpression>(input, float_parameter(spec, "exponent", 1));
}

Steps examples(std::uint64_t) {
  return map_examples(PowExpression{2}, PowExpression{3}, PowExpression{0.5f}, PowExpression{-1}, PowExpression{-1.5f},
                      PowExpression{0});
}

}  // namespace

const Operator& pow_operator() noexcept {
  static constexpr Operator entry{PowExpression::op, "y = x^exponent", parameters, bind, examples};
  return entry;
}

}  // namespace headrace::gpu
