#pragma once
// What the server tells about the model under load: GET /v2/models/M and, where the server has it, …/config. Pure.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "load/result.hpp"
#include "proto/datatype.hpp"

namespace headrace::load {

struct TensorInfo {
  std::string name;
  proto::Datatype datatype = proto::Datatype::fp32;
  std::vector<std::int64_t> row_shape;  // without the batch dimension; -1 where free

  /// Product of row_shape; only for shapes without free dimensions.
  std::size_t row_elements() const noexcept;
};

struct ModelInfo {
  std::string name;
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
  bool batched = true;               // shapes begin with a batch dimension
  std::uint32_t max_batch_size = 0;  // rows a request may have; 0: not told
};

/// `config` is empty when the server has no such document; then a model counts as batched when every shape begins with
/// -1. The error names the document and the field.
Result<ModelInfo> parse_model_info(std::string_view metadata, std::string_view config);

}  // namespace headrace::load
