#include "gpu/ops/rsqrt/rsqrt.hpp"

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/map_step.hpp"

namespace headrace::gpu {

const Operator& rsqrt_operator() noexcept {
  static constexpr Operator entry{
      RsqrtExpression::op, "y = 1 / √x", {}, bind_plain_map<RsqrtExpression>, plain_map_examples<RsqrtExpression>};
  return entry;
}

}  // namespace headrace::gpu
