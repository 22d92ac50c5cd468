#include "gpu/ops/parameters.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace headrace::gpu {
namespace {

const ParameterValue* find(const StepSpec& spec, std::string_view name) {
  const auto found = spec.parameters.find(name);
  return found == spec.parameters.end() ? nullptr : &found->second;
}

}  // namespace

tl::unexpected<Error> refuse(std::string_view name, std::string_view expected, std::string_view got) {
  std::string message(name);
  message.append(": expected ").append(expected).append(", got ").append(got);
  return fail(ErrorKind::invalid_program, std::move(message));
}

std::string number_text(double number) {
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

Result<float> float_parameter(const StepSpec& spec, std::string_view name, float fallback) {
  const ParameterValue* value = find(spec, name);
  if (value == nullptr) return fallback;
  const double number = std::get<double>(*value);
  if (!(std::abs(number) <= static_cast<double>(std::numeric_limits<float>::max()))) {
    return refuse(name, "a finite number within FP32's range", number_text(number));
  }
  return static_cast<float>(number);
}

Result<std::uint32_t> choice_parameter(const StepSpec& spec, std::string_view name,
                                       std::initializer_list<std::string_view> choices) {
  const ParameterValue* value = find(spec, name);
  if (value == nullptr) return 0;
  const auto& text = std::get<std::string>(*value);
  std::string names;
  for (std::uint32_t at = 0; const std::string_view choice : choices) {
    if (choice == text) return at;
    names.append(at++ == 0 ? "'" : " or '").append(choice).append("'");
  }
  return refuse(name, names, "'" + text + "'");
}

Result<const HostTensor*> weight_parameter(const StepSpec& spec, std::string_view name, ElementType element,
                                           std::size_t rank) {
  const ParameterValue* value = find(spec, name);
  if (value == nullptr) return nullptr;
  const auto& tensor = std::get<HostTensor>(*value);
  if (tensor.element != element) return refuse(name, element_name(element), element_name(tensor.element));
  if (tensor.shape.size() != rank) {
    return refuse(name, std::to_string(rank) + (rank == 1 ? " dimension" : " dimensions"), shape_text(tensor.shape));
  }
  return &tensor;
}

Result<void> require_element(const TensorType& input, std::initializer_list<ElementType> accepted) {
  if (std::ranges::find(accepted, input.element) != accepted.end()) return {};
  std::string names;
  for (const ElementType element : accepted) {
    if (!names.empty()) names += " or ";
    names += element_name(element);
  }
  return refuse("input", names, input.to_string());
}

}  // namespace headrace::gpu
