#include "service/pipeline/binding.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headrace::pipeline {

namespace {

using proto::invalid;

template <class Range>
std::string names_of(const Range& tensors) {
  std::string names;
  for (const auto& tensor : tensors) {
    if (!names.empty()) names += ", ";
    names += '\'' + tensor.name + '\'';
  }
  return names;
}

template <class Range>
std::size_t index_of(const Range& tensors, std::string_view name) {
  const auto found = std::find_if(tensors.begin(), tensors.end(), [name](const auto& t) { return t.name == name; });
  return static_cast<std::size_t>(found - tensors.begin());
}

std::string expected_shape(const proto::TensorDescription& tensor) {
  std::string text = "[rows";
  for (const auto dim : tensor.row_shape) text += fmt::format(",{}", dim);
  return text + "]";
}

bool row_shape_matches(const proto::InputTensor& input, const proto::TensorDescription& tensor) {
  const auto dims = input.shape.dims();
  return dims.size() == tensor.row_shape.size() + 1 &&
         std::equal(tensor.row_shape.begin(), tensor.row_shape.end(), dims.begin() + 1);
}

proto::Result<void> check_tensor(const proto::InputTensor& input, const proto::TensorDescription& tensor,
                                 const proto::ModelDescription& model) {
  if (input.datatype != tensor.datatype) {
    return invalid(fmt::format("input '{}': expected datatype {}, got {}", tensor.name,
                               proto::traits(tensor.datatype).name, proto::traits(input.datatype).name));
  }
  if (!row_shape_matches(input, tensor)) {
    return invalid(fmt::format("input '{}': expected shape {}, got {}", tensor.name, expected_shape(tensor),
                               input.shape.to_string()));
  }
  if (const auto rows = input.shape[0]; rows > static_cast<std::int64_t>(model.max_batch_size)) {
    return invalid(fmt::format("input '{}': expected at most {} rows (max_batch_size of model '{}'), got {}",
                               tensor.name, model.max_batch_size, model.name, rows));
  }
  return {};
}

}  // namespace

proto::Result<Binding> bind_inputs(const proto::InferRequest& request, const proto::ModelDescription& model) {
  Binding binding;
  for (const auto& input : request.inputs) {
    const auto index = index_of(model.inputs, input.name);
    if (index == model.inputs.size()) {
      return invalid(fmt::format("input '{}': model '{}' has no such input (expected {})", input.name, model.name,
                                 names_of(model.inputs)));
    }
    if (auto checked = check_tensor(input, model.inputs[index], model); !checked)
      return tl::unexpected(checked.error());
    binding.inputs[index] = &input;
  }
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    if (binding.inputs[i] == nullptr) {
      return invalid(fmt::format("inputs: expected {} (all inputs of model '{}'), '{}' is missing",
                                 names_of(model.inputs), model.name, model.inputs[i].name));
    }
    const auto rows = static_cast<std::uint32_t>(binding.inputs[i]->shape[0]);
    if (i == 0) binding.rows = rows;
    if (rows != binding.rows) {
      return invalid(fmt::format("input '{}': expected {} rows as in input '{}', got {}", model.inputs[i].name,
                                 binding.rows, model.inputs[0].name, rows));
    }
  }
  return binding;
}

bool OutputSelection::any_json() const noexcept {
  return std::any_of(outputs.begin(), outputs.begin() + count, [](const BoundOutput& o) { return !o.binary; });
}

proto::Result<OutputSelection> select_outputs(const proto::InferRequest& request,
                                              const proto::ModelDescription& model) {
  OutputSelection selection;
  if (request.outputs.empty()) {
    for (std::size_t i = 0; i < model.outputs.size(); ++i) {
      selection.outputs[selection.count++] = {static_cast<std::uint8_t>(i), request.binary_data_output};
    }
    return selection;
  }
  for (const auto& wanted : request.outputs) {
    const auto index = index_of(model.outputs, wanted.name);
    if (index == model.outputs.size()) {
      return invalid(fmt::format("output '{}': model '{}' has no such output (expected {})", wanted.name, model.name,
                                 names_of(model.outputs)));
    }
    if (wanted.classification) {
      return proto::fail(proto::ErrorCode::unsupported_feature,
                         fmt::format("output '{}': parameters.classification is not supported", wanted.name));
    }
    // Names are unique in a request, so there are never more than the model has.
    selection.outputs[selection.count++] = {static_cast<std::uint8_t>(index), wanted.binary.value_or(false)};
  }
  return selection;
}

}  // namespace headrace::pipeline
