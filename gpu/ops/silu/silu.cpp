#include "gpu/ops/silu/silu.hpp"

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/map_step.hpp"

namespace headrace::gpu {

const Operator& silu_operator() noexcept {
  static constexpr Operator entry{
      SiluExpression::op, "y = x / (1 + e^-x)", {}, bind_plain_map<SiluExpression>, plain_map_examples<SiluExpression>};
  return entry;
}

}  // namespace headrace::gpu
