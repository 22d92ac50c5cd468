#include "gpu/ops/mean/mean.hpp"

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/reduce_step.hpp"

namespace headrace::gpu {

const Operator& mean_operator() noexcept {
  static constexpr Operator entry{MeanReduction::op,
                                  "y = Σ x / n",
                                  {},
                                  bind_vectors<ReduceStep<MeanReduction>>,
                                  vector_examples<ReduceStep<MeanReduction>>};
  return entry;
}

}  // namespace headrace::gpu
