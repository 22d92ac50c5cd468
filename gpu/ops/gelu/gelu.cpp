#include "gpu/ops/gelu/gelu.hpp"

#include <array>

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/map_step.hpp"

namespace headrace::gpu {
namespace {

constexpr std::array parameters{
    ParameterDescription{"form", ParameterKind::text, false, "'erf' (exact) or 'tanh' (approximate); default erf"},
};

Result<std::unique_ptr<const Step>> bind(const StepSpec& spec, const TensorType& input) {
  const auto form = choice_parameter(spec, "form", {"erf", "tanh"});
  if (!form) return tl::unexpected(form.error());
  return bind_map(input, GeluExpression{*form});
}

Steps examples(std::uint64_t) { return map_examples(GeluExpression{0}, GeluExpression{1}); }

}  // namespace

const Operator& gelu_operator() noexcept {
  static constexpr Operator entry{GeluExpression::op, "y = x·Φ(x), Φ the normal distribution", parameters, bind,
                                  examples};
  return entry;
}

}  // namespace headrace::gpu
