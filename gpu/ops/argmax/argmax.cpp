#include "gpu/ops/argmax/argmax.hpp"

#include "gpu/ops/arg_step.hpp"
#include "gpu/ops/catalogue.hpp"

namespace headrace::gpu {

const Operator& argmax_operator() noexcept {
  using ArgmaxStep = ArgStep<ArgmaxRule>;
  static constexpr Operator entry{ArgmaxRule::op,
                                  "y = the first i where x_i = max x, INT64",
                                  {},
                                  bind_vectors<ArgmaxStep>,
                                  vector_examples<ArgmaxStep>};
  return entry;
}

}  // namespace headrace::gpu
