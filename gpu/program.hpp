#pragma once
// A program: a chain of operators over rows, built once from a model's steps, immutable afterwards, shared by all
// devices. Every device runs it as ingest → steps → egress; between the two, steps see plain contiguous rows.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "gpu/error.hpp"
#include "gpu/ops/step.hpp"
#include "gpu/tensor_type.hpp"

namespace headrace::gpu {

/// A named tensor at a program's edge.
struct Port {
  std::string name;
  TensorType type;
};

/// A weight: row-major, little-endian, aligned to 64 bytes or copied by the step that binds it. `owner` keeps it alive.
struct HostTensor {
  ElementType element = ElementType::f32;
  std::vector<std::int64_t> shape;
  const std::byte* data = nullptr;
  std::shared_ptr<const void> owner;

  std::size_t elements() const noexcept;
};

using ParameterValue = std::variant<bool, std::int64_t, double, std::string, HostTensor>;
using Parameters = std::map<std::string, ParameterValue, std::less<>>;

struct StepSpec {
  std::string op;
  Parameters parameters;
};

struct ProgramSpec {
  std::vector<Port> inputs;  // exactly one today; several come with the operator catalogue
  std::vector<StepSpec> steps;  // at least one; use `identity` for none
  std::vector<std::string> output_names;  // exactly one today: the last step's result
  std::string name = {};  // the model's, for traces; may be empty
};

class Program {
 public:
  /// Binds every step to its input type. Errors: invalid_program, "step 2 (linear): …, expected …, got …".
  static Result<std::shared_ptr<const Program>> build(ProgramSpec spec);
  /// A program of one bound step, from "x" to "y": how an operator's examples run on a device.
  static std::shared_ptr<const Program> of(std::unique_ptr<const Step> step);

  const std::string& name() const noexcept { return name_; }
  const std::vector<Port>& inputs() const noexcept { return inputs_; }
  const std::vector<Port>& outputs() const noexcept { return outputs_; }
  const std::vector<std::unique_ptr<const Step>>& steps() const noexcept { return steps_; }
  /// The widest row between any two steps, in bytes: what a slot must hold for one row, twice.
  std::size_t widest_row_bytes() const noexcept;
  std::size_t weight_bytes() const noexcept;

 private:
  std::string name_;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
  std::vector<std::unique_ptr<const Step>> steps_;
};

}  // namespace headrace::gpu
