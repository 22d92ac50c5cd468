#pragma once
// Reading a step's parameters. Names, kinds and presence were checked before (gpu/step_parameters.hpp); here the rest
// is: a number's range, a weight's element type and rank.

#include <initializer_list>
#include <string_view>

#include "gpu/error.hpp"
#include "gpu/program.hpp"

namespace headrace::gpu {

/// A finite number that FP32 can hold, rounded to it; `fallback` when absent.
Result<float> float_parameter(const StepSpec& spec, std::string_view name, float fallback);

/// Null when absent. The weight must have that element type and rank.
Result<const HostTensor*> weight_parameter(const StepSpec& spec, std::string_view name, ElementType element,
                                           std::size_t rank);

/// "invalid_program" unless the input's element type is one of `accepted`.
Result<void> require_element(const TensorType& input, std::initializer_list<ElementType> accepted);

}  // namespace headrace::gpu
