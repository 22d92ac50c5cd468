#include "gpu/ops/tanh/tanh.hpp"

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/map_step.hpp"

namespace headrace::gpu {

const Operator& tanh_operator() noexcept {
  static constexpr Operator entry{
      TanhExpression::op, "y = tanh x", {}, bind_plain_map<TanhExpression>, plain_map_examples<TanhExpression>};
  return entry;
}

}  // namespace headrace::gpu
