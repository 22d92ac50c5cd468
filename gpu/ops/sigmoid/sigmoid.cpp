#include "gpu/ops/sigmoid/sigmoid.hpp"

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/map_step.hpp"

namespace headrace::gpu {

const Operator& sigmoid_operator() noexcept {
  static constexpr Operator entry{SigmoidExpression::op,
                                  "y = 1 / (1 + e^-x)",
                                  {},
                                  bind_plain_map<SigmoidExpression>,
                                  plain_map_examples<SigmoidExpression>};
  return entry;
}

}  // namespace headrace::gpu
