#include "gpu/ops/log/log.hpp"

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/map_step.hpp"

namespace headrace::gpu {

const Operator& log_operator() noexcept {
  static constexpr Operator entry{
      LogExpression::op, "y = ln x", {}, bind_plain_map<LogExpression>, plain_map_examples<LogExpression>};
  return entry;
}

}  // namespace headrace::gpu
