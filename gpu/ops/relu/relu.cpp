#include "gpu/ops/relu/relu.hpp"

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/map_step.hpp"

namespace headrace::gpu {

const Operator& relu_operator() noexcept {
  static constexpr Operator entry{
      ReluExpression::op, "y = max(x, 0)", {}, bind_plain_map<ReluExpression>, plain_map_examples<ReluExpression>};
  return entry;
}

}  // namespace headrace::gpu
