#include "gpu/ops/neg/neg.hpp"

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/map_step.hpp"

namespace headrace::gpu {

const Operator& neg_operator() noexcept {
  static constexpr Operator entry{
      NegExpression::op, "y = -x", {}, bind_plain_map<NegExpression>, plain_map_examples<NegExpression>};
  return entry;
}

}  // namespace headrace::gpu
