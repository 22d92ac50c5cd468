#include "gpu/ops/sub/sub.hpp"

#include <array>

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/map_step.hpp"

namespace headrace::gpu {
namespace {

constexpr std::array parameters{
    ParameterDescription{"value", ParameterKind::number, true, "what is taken away, FP32"},
};

Result<std::unique_ptr<const Step>> bind(const StepSpec& spec, const TensorType& input) {
  return bind_map<SubExpression>(input, float_parameter(spec, "value", 0));
}

Steps examples(std::uint64_t) { return map_examples(SubExpression{1.5f}, SubExpression{-1e-3f}, SubExpression{3e38f}); }

}  // namespace

const Operator& sub_operator() noexcept {
  static constexpr Operator entry{SubExpression::op, "y = x - value", parameters, bind, examples};
  return entry;
}

}  // namespace headrace::gpu
