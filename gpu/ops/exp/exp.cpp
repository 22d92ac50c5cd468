#include "gpu/ops/exp/exp.hpp"

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/map_step.hpp"

namespace headrace::gpu {

const Operator& exp_operator() noexcept {
  static constexpr Operator entry{
      ExpExpression::op, "y = e^x", {}, bind_plain_map<ExpExpression>, plain_map_examples<ExpExpression>};
  return entry;
}

}  // namespace headrace::gpu
