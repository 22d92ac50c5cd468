#include "gpu/ops/step.hpp"

#include <utility>

namespace headrace::gpu {

Step::Step(std::string_view op, TensorType input, TensorType output)
    : op_(op), input_(std::move(input)), output_(std::move(output)) {}

}  // namespace headrace::gpu
