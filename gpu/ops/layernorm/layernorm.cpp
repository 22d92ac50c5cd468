#include "gpu/ops/layernorm/layernorm.hpp"

#include <array>

#include "gpu/ops/normalize_step.hpp"

namespace headrace::gpu {

const Operator& layernorm_operator() noexcept {
  static constexpr std::array parameters{
      ParameterDescription{"epsilon", ParameterKind::number, false,
                           "added to the variance, FP32, at least 0; default 1e-5"},
  };
  static constexpr Operator entry{LayernormRule::op, "y = (x - mean x) / √(variance x + epsilon)", parameters,
                                  bind_normalization<LayernormRule>, normalization_examples<LayernormRule>};
  return entry;
}

}  // namespace headrace::gpu
