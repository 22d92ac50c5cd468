#include "gpu/ops/sum/sum.hpp"

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/reduce_step.hpp"

namespace headrace::gpu {

const Operator& sum_operator() noexcept {
  static constexpr Operator entry{SumReduction::op,
                                  "y = Σ x",
                                  {},
                                  bind_vectors<ReduceStep<SumReduction>>,
                                  vector_examples<ReduceStep<SumReduction>>};
  return entry;
}

}  // namespace headrace::gpu
