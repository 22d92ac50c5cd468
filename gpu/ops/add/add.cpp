#include "gpu/ops/add/add.hpp"

#include <array>

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/map_step.hpp"

namespace headrace::gpu {
namespace {

constexpr std::array parameters{
    ParameterDescription{"value", ParameterKind::number, true, "what is added, FP32"},
};

Result<std::unique_ptr<const Step>> bind(const StepSpec& spec, const TensorType& input) {
  return bind_map<AddExpression>(input, float_parameter(spec, "value", 0));
}

Steps examples(std::uint64_t) { return map_examples(AddExpression{1.5f}, AddExpression{-1e-3f}, AddExpression{3e38f}); }

}  // namespace

const Operator& add_operator() noexcept {
  static constexpr Operator entry{AddExpression::op, "y = x + value", parameters, bind, examples};
  return entry;
}

}  // namespace headrace::gpu
