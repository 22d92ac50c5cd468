#include "gpu/step_parameters.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gpu/nearest_name.hpp"

namespace headrace::gpu {
namespace {

tl::unexpected<Error> invalid(std::string message) { return fail(ErrorKind::invalid_program, std::move(message)); }

std::string_view expected_text(ParameterKind kind) noexcept {
  switch (kind) {
    case ParameterKind::boolean: return "true or false";
    case ParameterKind::integer: return "a whole number";
    case ParameterKind::number: return "a number";
    case ParameterKind::text: return "a text";
    case ParameterKind::weight: return "the name of a weight";
  }
  return "";
}

struct Describe {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return std::to_string(value); }
  std::string operator()(const std::string& value) const { return "'" + value + "'"; }
  std::string operator()(const HostTensor& value) const { return "a weight of shape " + shape_text(value.shape); }
};

bool is_kind(const ParameterValue& value, ParameterKind kind) noexcept {
  switch (kind) {
    case ParameterKind::boolean: return std::holds_alternative<bool>(value);
    case ParameterKind::integer: return std::holds_alternative<std::int64_t>(value);
    case ParameterKind::number: return std::holds_alternative<double>(value);
    case ParameterKind::text: return std::holds_alternative<std::string>(value);
    case ParameterKind::weight: return std::holds_alternative<HostTensor>(value);
  }
  return false;
}

Result<void> check_weight(std::string_view name, const HostTensor& weight) {
  const bool positive = std::ranges::all_of(weight.shape, [](std::int64_t dim) { return dim > 0; });
  if (!positive) {
    return invalid(std::string(name) + ": expected dimensions of at least 1, got " + shape_text(weight.shape));
  }
  if (weight.data == nullptr) return invalid(std::string(name) + ": expected a weight with data, got none");
  return {};
}

Result<void> check_value(const ParameterDescription& description, ParameterValue& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  if (description.kind == ParameterKind::number && whole != nullptr) value = static_cast<double>(*whole);
  if (!is_kind(value, description.kind)) {
    return invalid(std::string(description.name) + ": expected " + std::string(expected_text(description.kind)) +
                   ", got " + std::visit(Describe{}, value));
  }
  if (const auto* weight = std::get_if<HostTensor>(&value)) return check_weight(description.name, *weight);
  return {};
}

}  // namespace

Result<void> check_parameters(std::span<const ParameterDescription> table, Parameters& parameters) {
  for (auto& [name, value] : parameters) {
    const auto known = std::ranges::find(table, std::string_view(name), &ParameterDescription::name);
    if (known == table.end()) {
      std::vector<std::string_view> names;
      for (const ParameterDescription& description : table) names.push_back(description.name);
      return invalid("unknown parameter '" + name + "'" + nearest_name_hint(name, names));
    }
    if (auto checked = check_value(*known, value); !checked) return checked;
  }
  for (const ParameterDescription& description : table) {
    if (!description.required || parameters.contains(description.name)) continue;
    return invalid(std::string(description.name) + ": expected " + std::string(expected_text(description.kind)) + " (" +
                   std::string(description.meaning) + "), got none");
  }
  return {};
}

}  // namespace headrace::gpu
