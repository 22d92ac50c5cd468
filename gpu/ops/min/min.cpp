#include "gpu/ops/min/min.hpp"

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/reduce_step.hpp"

namespace headrace::gpu {

const Operator& min_operator() noexcept {
  static constexpr Operator entry{MinReduction::op,
                                  "y = min x",
                                  {},
                                  bind_vectors<ReduceStep<MinReduction>>,
                                  vector_examples<ReduceStep<MinReduction>>};
  return entry;
}

}  // namespace headrace::gpu
