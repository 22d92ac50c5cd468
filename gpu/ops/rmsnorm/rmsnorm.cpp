#include "gpu/ops/rmsnorm/rmsnorm.hpp"

#include <array>

#include "gpu/ops/normalize_step.hpp"

namespace headrace::gpu {

const Operator& rmsnorm_operator() noexcept {
  static constexpr std::array parameters{
      ParameterDescription{"epsilon", ParameterKind::number, false,
                           "added to the mean square, FP32, at least 0; default 1e-5"},
  };
  static constexpr Operator entry{RmsnormRule::op, "y = x / √(mean x² + epsilon)", parameters,
                                  bind_normalization<RmsnormRule>, normalization_examples<RmsnormRule>};
  return entry;
}

}  // namespace headrace::gpu
