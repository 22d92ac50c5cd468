#include "gpu/ops/affine/affine.hpp"

#include <array>

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/map_step.hpp"

namespace headrace::gpu {
namespace {

constexpr std::array parameters{
    ParameterDescription{"scale", ParameterKind::number, false, "factor, FP32; default 1"},
    ParameterDescription{"shift", ParameterKind::number, false, "added after scaling, FP32; default 0"},
};

Result<std::unique_ptr<const Step>> bind(const StepSpec& spec, const TensorType& input) {
  const auto scale = float_parameter(spec, "scale", 1);
  if (!scale) return tl::unexpected(scale.error());
  const auto shift = float_parameter(spec, "shift", 0);
  if (!shift) return tl::unexpected(shift.error());
  return bind_map(input, AffineExpression{*scale, *shift});
}

Steps examples(std::uint64_t) {
  return map_examples(AffineExpression{0.0625f, 0}, AffineExpression{2, 1}, AffineExpression{-3.5f, 0.1f},
                      AffineExpression{0, -1e-3f});
}

}  // namespace

const Operator& affine_operator() noexcept {
  static constexpr Operator entry{AffineExpression::op, "y = scale·x + shift", parameters, bind, examples};
  return entry;
}

}  // namespace headrace::gpu
