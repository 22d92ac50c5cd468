#include "gpu/ops/argmin/argmin.hpp"

#include "gpu/ops/arg_step.hpp"
#include "gpu/ops/catalogue.hpp"

namespace headrace::gpu {

const Operator& argmin_operator() noexcept {
  using ArgminStep = ArgStep<ArgminRule>;
  static constexpr Operator entry{ArgminRule::op,
                                  "y = the first i where x_i = min x, INT64",
                                  {},
                                  bind_vectors<ArgminStep>,
                                  vector_examples<ArgminStep>};
  return entry;
}

}  // namespace headrace::gpu
