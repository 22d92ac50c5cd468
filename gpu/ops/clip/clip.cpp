#include "gpu/ops/clip/clip.hpp"

#include <array>

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/map_step.hpp"

namespace headrace::gpu {
namespace {

constexpr std::array parameters{
    ParameterDescription{"min", ParameterKind::number, false, "lower bound, FP32; default none"},
    ParameterDescription{"max", ParameterKind::number, false, "upper bound, FP32; default none"},
};

Result<std::unique_ptr<const Step>> bind(const StepSpec& spec, const TensorType& input) {
  const auto min = float_parameter(spec, "min", ClipExpression{}.min);
  if (!min) return tl::unexpected(min.error());
  const auto max = float_parameter(spec, "max", ClipExpression{}.max);
  if (!max) return tl::unexpected(max.error());
  if (*min > *max) return refuse("max", "at least min, which is " + number_text(*min), number_text(*max));
  return bind_map(input, ClipExpression{*min, *max});
}

Steps examples(std::uint64_t) {
  constexpr ClipExpression open;
  return map_examples(ClipExpression{-1, 2.5f}, ClipExpression{open.min, 1}, ClipExpression{0, open.max}, open);
}

}  // namespace

const Operator& clip_operator() noexcept {
  static constexpr Operator entry{ClipExpression::op, "y = min(max(x, min), max)", parameters, bind, examples};
  return entry;
}

}  // namespace headrace::gpu
