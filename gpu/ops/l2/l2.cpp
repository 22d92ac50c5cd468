#include "gpu/ops/l2/l2.hpp"

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/reduce_step.hpp"

namespace headrace::gpu {

const Operator& l2_operator() noexcept {
  static constexpr Operator entry{L2Reduction::op,
                                  "y = √Σ x²",
                                  {},
                                  bind_vectors<ReduceStep<L2Reduction>>,
                                  vector_examples<ReduceStep<L2Reduction>>};
  return entry;
}

}  // namespace headrace::gpu
