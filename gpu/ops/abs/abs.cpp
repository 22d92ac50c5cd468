#include "gpu/ops/abs/abs.hpp"

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/map_step.hpp"

namespace headrace::gpu {

const Operator& abs_operator() noexcept {
  static constexpr Operator entry{
      AbsExpression::op, "y = |x|", {}, bind_plain_map<AbsExpression>, plain_map_examples<AbsExpression>};
  return entry;
}

}  // namespace headrace::gpu
