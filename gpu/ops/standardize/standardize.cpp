#include "gpu/ops/standardize/standardize.hpp"

#include <array>

#include "gpu/ops/normalize_step.hpp"

namespace headrace::gpu {

const Operator& standardize_operator() noexcept {
  static constexpr std::array parameters{
      ParameterDescription{"epsilon", ParameterKind::number, false, "least divisor, FP32, at least 0; default 1e-6"},
  };
  static constexpr Operator entry{StandardizeRule::op, "y = (x - mean x) / max(deviation x, epsilon)", parameters,
                                  bind_normalization<StandardizeRule>, normalization_examples<StandardizeRule>};
  return entry;
}

}  // namespace headrace::gpu
