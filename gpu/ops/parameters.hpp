#pragma once
// Reading a step's parameters. Names, kinds and presence were checked before (gpu/step_parameters.hpp); here the rest
// is: a number's range, a weight's element type and rank.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "gpu/error.hpp"
#include "gpu/program.hpp"

namespace headrace::gpu {

/// A finite number that FP32 can hold, rounded to it; `fallback` when absent.
Result<float> float_parameter(const StepSpec& spec, std::string_view name, float fallback);

/// Which of `choices` the text is, counted from 0; the first when absent.
Result<std::uint32_t> choice_parameter(const StepSpec& spec, std::string_view name,
                                       std::initializer_list<std::string_view> choices);

/// "<name>: expected …, got …": how everything that does not fit is refused.
tl::unexpected<Error> refuse(std::string_view name, std::string_view expected, std::string_view got);
/// The shortest text that reads back as that number.
std::string number_text(double number);

/// Null when absent. The weight must have that element type and rank.
Result<const HostTensor*> weight_parameter(const StepSpec& spec, std::string_view name, ElementType element,
                                           std::size_t rank);

/// "invalid_program" unless the input's element type is one of `accepted`.
Result<void> require_element(const TensorType& input, std::initializer_list<ElementType> accepted);

}  // namespace headrace::gpu
