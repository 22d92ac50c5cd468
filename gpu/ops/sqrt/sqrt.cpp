#include "gpu/ops/sqrt/sqrt.hpp"

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/map_step.hpp"

namespace headrace::gpu {

const Operator& sqrt_operator() noexcept {
  static constexpr Operator entry{
      SqrtExpression::op, "y = √x", {}, bind_plain_map<SqrtExpression>, plain_map_examples<SqrtExpression>};
  return entry;
}

}  // namespace headrace::gpu
