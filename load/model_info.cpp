#include "load/model_info.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

namespace headrace::load {
namespace {

using simdjson::dom::element;

Result<TensorInfo> parse_tensor(element item, std::string_view list, std::size_t position) {
  const auto wrong = [&](std::string_view why) {
    return fail(fmt::format("model metadata: {}[{}]: {}", list, position, why));
  };
  TensorInfo tensor;
  std::string_view text;
  if (item["name"].get(text) != simdjson::SUCCESS) return wrong("'name' is missing or no string");
  tensor.name = text;
  if (item["datatype"].get(text) != simdjson::SUCCESS) return wrong("'datatype' is missing or no string");
  const auto datatype = proto::parse_datatype(text);
  if (!datatype) return wrong(fmt::format("unknown datatype '{}'", text));
  tensor.datatype = *datatype;
  simdjson::dom::array shape;
  if (item["shape"].get(shape) != simdjson::SUCCESS) return wrong("'shape' is missing or no array");
  for (const element dim : shape) {
    std::int64_t value = 0;
    if (dim.get(value) != simdjson::SUCCESS || value < -1) return wrong("a dimension is no integer of at least -1");
    tensor.row_shape.push_back(value);
  }
  return tensor;
}

Result<std::vector<TensorInfo>> parse_tensors(element document, std::string_view list) {
  simdjson::dom::array items;
  if (document[list].get(items) != simdjson::SUCCESS) {
    return fail(fmt::format("model metadata: '{}' is missing or no array", list));
  }
  std::vector<TensorInfo> tensors;
  for (const element item : items) {
    auto tensor = parse_tensor(item, list, tensors.size());
    if (!tensor) return fail(tensor.error());
    tensors.push_back(std::move(*tensor));
  }
  if (tensors.empty()) return fail(fmt::format("model metadata: '{}' is empty", list));
  return tensors;
}

Result<std::uint32_t> parse_max_batch_size(std::string_view config) {
  simdjson::dom::parser parser;
  element document;
  if (parser.parse(config.data(), config.size()).get(document) != simdjson::SUCCESS) {
    return fail("model config: not a JSON document");
  }
  std::uint64_t rows = 0;
  if (const auto field = document["max_batch_size"]; field.error() == simdjson::SUCCESS) {
    if (field.get(rows) != simdjson::SUCCESS || rows > UINT32_MAX) {
      return fail("model config: 'max_batch_size' is no unsigned 32-bit integer");
    }
  }
  return static_cast<std::uint32_t>(rows);
}

bool begins_with_a_free_dimension(const TensorInfo& tensor) {
  return !tensor.row_shape.empty() && tensor.row_shape.front() == -1;
}

}  // namespace

std::size_t TensorInfo::row_elements() const noexcept {
  std::size_t elements = 1;
  for (const std::int64_t dim : row_shape) elements *= static_cast<std::size_t>(dim);
  return elements;
}

Result<ModelInfo> parse_model_info(std::string_view metadata, std::string_view config) {
  simdjson::dom::parser parser;
  element document;
  if (parser.parse(metadata.data(), metadata.size()).get(document) != simdjson::SUCCESS) {
    return fail("model metadata: not a JSON document");
  }
  ModelInfo model;
  std::string_view name;
  if (document["name"].get(name) != simdjson::SUCCESS) return fail("model metadata: 'name' is missing or no string");
  model.name = name;
  auto inputs = parse_tensors(document, "inputs");
  if (!inputs) return fail(inputs.error());
  model.inputs = std::move(*inputs);
  auto outputs = parse_tensors(document, "outputs");
  if (!outputs) return fail(outputs.error());
  model.outputs = std::move(*outputs);

  if (config.empty()) {
    model.batched = std::all_of(model.inputs.begin(), model.inputs.end(), begins_with_a_free_dimension);
  } else {
    const auto rows = parse_max_batch_size(config);
    if (!rows) return fail(rows.error());
    model.max_batch_size = *rows;
    model.batched = *rows != 0;
  }
  if (!model.batched) {
    model.max_batch_size = 1;
    return model;
  }
  for (auto* tensors : {&model.inputs, &model.outputs}) {
    for (TensorInfo& tensor : *tensors) {
      if (!begins_with_a_free_dimension(tensor)) {
        return fail(fmt::format("model metadata: '{}': a batched model's shape must begin with -1", tensor.name));
      }
      tensor.row_shape.erase(tensor.row_shape.begin());
    }
  }
  return model;
}

}  // namespace headrace::load
