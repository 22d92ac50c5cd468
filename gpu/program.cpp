#include "gpu/program.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <optional>
#include <utility>

#include "gpu/nearest_name.hpp"
#include "gpu/ops/catalogue.hpp"
#include "gpu/step_parameters.hpp"

namespace headrace::gpu {
namespace {

tl::unexpected<Error> invalid(std::string message) { return fail(ErrorKind::invalid_program, std::move(message)); }

// Half the address space: sums of a few rows still fit.
constexpr std::size_t row_bytes_limit = std::numeric_limits<std::size_t>::max() / 2;

/// What is wrong with that row shape, or nothing.
std::optional<std::string> row_shape_fault(const TensorType& type) {
  std::size_t bytes = element_bytes(type.element);
  for (const std::int64_t dim : type.row_shape) {
    if (dim < 1) return "shape: expected dimensions of at least 1, got " + shape_text(type.row_shape);
    if (bytes > row_bytes_limit / static_cast<std::size_t>(dim)) {
      return "shape: expected a row that fits in memory, got " + shape_text(type.row_shape);
    }
    bytes *= static_cast<std::size_t>(dim);
  }
  return std::nullopt;
}

Result<void> check_ports(const ProgramSpec& spec) {
  if (spec.inputs.size() != 1) {
    return invalid("inputs: expected exactly 1, got " + std::to_string(spec.inputs.size()));
  }
  if (spec.output_names.size() != 1) {
    return invalid("outputs: expected exactly 1, got " + std::to_string(spec.output_names.size()));
  }
  if (spec.steps.empty())
    return invalid("steps: expected at least 1, got 0 (use identity to return rows as they came)");
  const Port& input = spec.inputs.front();
  if (input.name.empty()) return invalid("inputs[0].name: expected a name, got none");
  if (spec.output_names.front().empty()) return invalid("outputs[0].name: expected a name, got none");
  if (const auto fault = row_shape_fault(input.type)) return invalid("input '" + input.name + "': " + *fault);
  return {};
}

std::string unknown_operator(const std::string& name) {
  std::vector<std::string_view> known;
  for (const Operator* op : catalogue()) known.push_back(op->name);
  return "unknown operator '" + name + "'" + nearest_name_hint(name, known);
}

Result<std::unique_ptr<const Step>> bind_step(StepSpec& spec, const TensorType& input) {
  const Operator* op = find_operator(spec.op);
  if (op == nullptr) return invalid(unknown_operator(spec.op));
  if (auto checked = check_parameters(op->parameters, spec.parameters); !checked) {
    return tl::unexpected(std::move(checked.error()));
  }
  auto step = op->bind(spec, input);
  if (!step) return step;
  assert((*step)->op() == op->name && (*step)->input() == input);
  if (const auto fault = row_shape_fault((*step)->output())) return invalid("output " + *fault);
  return step;
}

}  // namespace

std::size_t HostTensor::elements() const noexcept {
  std::size_t elements = 1;
  for (const std::int64_t dim : shape) elements *= static_cast<std::size_t>(dim);
  return elements;
}

Result<std::shared_ptr<const Program>> Program::build(ProgramSpec spec) {
  if (auto checked = check_ports(spec); !checked) return tl::unexpected(std::move(checked.error()));
  auto program = std::make_shared<Program>();
  TensorType type = spec.inputs.front().type;
  for (std::size_t i = 0; i < spec.steps.size(); ++i) {
    auto step = bind_step(spec.steps[i], type);
    if (!step) {
      Error error = std::move(step.error());
      error.message = "step " + std::to_string(i + 1) + " (" + spec.steps[i].op + "): " + error.message;
      return tl::unexpected(std::move(error));
    }
    type = (*step)->output();
    program->steps_.push_back(std::move(*step));
  }
  program->name_ = std::move(spec.name);
  program->inputs_ = std::move(spec.inputs);
  program->outputs_.push_back({std::move(spec.output_names.front()), std::move(type)});
  return program;
}

std::shared_ptr<const Program> Program::of(std::unique_ptr<const Step> step) {
  auto program = std::make_shared<Program>();
  program->name_ = step->op();
  program->inputs_.push_back({"x", step->input()});
  program->outputs_.push_back({"y", step->output()});
  program->steps_.push_back(std::move(step));
  return program;
}

std::size_t Program::widest_row_bytes() const noexcept {
  std::size_t widest = 0;
  for (const auto& step : steps_) {
    widest = std::max({widest, step->input().row_bytes(), step->output().row_bytes()});
  }
  return widest;
}

std::size_t Program::weight_bytes() const noexcept {
  std::size_t bytes = 0;
  for (const auto& step : steps_) bytes += step->weight_bytes();
  return bytes;
}

}  // namespace headrace::gpu
