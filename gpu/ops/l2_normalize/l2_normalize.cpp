#include "gpu/ops/l2_normalize/l2_normalize.hpp"

#include <array>

#include "gpu/ops/normalize_step.hpp"

namespace headrace::gpu {

const Operator& l2_normalize_operator() noexcept {
  static constexpr std::array parameters{
      ParameterDescription{"epsilon", ParameterKind::number, false, "least divisor, FP32, at least 0; default 1e-12"},
  };
  static constexpr Operator entry{L2NormalizeRule::op, "y = x / max(√Σ x², epsilon)", parameters,
                                  bind_normalization<L2NormalizeRule>, normalization_examples<L2NormalizeRule>};
  return entry;
}

}  // namespace headrace::gpu
