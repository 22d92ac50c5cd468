#include "gpu/ops/max/max.hpp"

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/reduce_step.hpp"

namespace headrace::gpu {

const Operator& max_operator() noexcept {
  static constexpr Operator entry{MaxReduction::op,
                                  "y = max x",
                                  {},
                                  bind_vectors<ReduceStep<MaxReduction>>,
                                  vector_examples<ReduceStep<MaxReduction>>};
  return entry;
}

}  // namespace headrace::gpu
