#include "gpu/ops/mul/mul.hpp"

#include <array>

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/map_step.hpp"

namespace headrace::gpu {
namespace {

constexpr std::array parameters{
    ParameterDescription{"value", ParameterKind::number, true, "factor, FP32"},
};

Result<std::unique_ptr<const Step>> bind(const StepSpec& spec, const TensorType& input) {
  return bind_map<MulExpression>(input, float_parameter(spec, "value", 0));
}

Steps examples(std::uint64_t) {
  return map_examples(MulExpression{1.5f}, MulExpression{-0.3f}, MulExpression{0}, MulExpression{1e-30f});
}

}  // namespace

const Operator& mul_operator() noexcept {
  static constexpr Operator entry{MulExpression::op, "y = x · value", parameters, bind, examples};
  return entry;
}

}  // namespace headrace::gpu
