#include "gpu/ops/leaky_relu/leaky_relu.hpp"

#include <array>

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/map_step.hpp"

namespace headrace::gpu {
namespace {

constexpr std::array parameters{
    ParameterDescription{"slope", ParameterKind::number, false, "factor below zero, FP32; default 0.01"},
};

Result<std::unique_ptr<const Step>> bind(const StepSpec& spec, const TensorType& input) {
  return bind_map<LeakyReluExpression>(input, float_parameter(spec, "slope", 0.01f));
}

Steps examples(std::uint64_t) {
  return map_examples(LeakyReluExpression{0.01f}, LeakyReluExpression{-2}, LeakyReluExpression{0});
}

}  // namespace

const Operator& leaky_relu_operator() noexcept {
  static constexpr Operator entry{LeakyReluExpression::op, "y = x for x >= 0, else slope·x", parameters, bind,
                                  examples};
  return entry;
}

}  // namespace headrace::gpu
