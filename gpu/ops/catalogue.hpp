#pragma once
// Lookup and listing of operators, expanded from operators.def.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/error.hpp"
#include "gpu/ops/step.hpp"

namespace headrace::gpu {

struct StepSpec;

enum class ParameterKind { boolean, integer, number, text, weight };

struct ParameterDescription {
  std::string_view name;
  ParameterKind kind;
  bool required;
  std::string_view meaning;  // one line, with unit and default
};

struct Operator {
  std::string_view name;
  std::string_view formula;  // "y = scale·x + shift"
  std::span<const ParameterDescription> parameters;
  /// Binds parameters to an input type. Unknown or missing parameters are refused before this is called.
  /// The message of a failure says what was expected and what came; the caller puts step number and operator before it.
  Result<std::unique_ptr<const Step>> (*bind)(const StepSpec& spec, const TensorType& input);
  /// Bound steps with generated weights that together reach every datatype and branch of the operator:
  /// what the conformance suite and `headrace verify` run. `seed` makes the weights reproducible.
  std::vector<std::unique_ptr<const Step>> (*examples)(std::uint64_t seed);
};

/// Every operator, in the order of operators.def.
std::span<const Operator* const> catalogue() noexcept;
/// Null when there is none of that name.
const Operator* find_operator(std::string_view name) noexcept;

}  // namespace headrace::gpu
