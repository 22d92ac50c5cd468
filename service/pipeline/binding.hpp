#pragma once
// A parsed request held against its model: names, datatypes, shapes, rows. Pure: no memory is taken here.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "proto/documents.hpp"
#include "proto/error.hpp"
#include "proto/infer_request.hpp"
#include "service/pipeline/ports.hpp"

namespace headrace::pipeline {

/// What the model makes of the request. Tensors are in the model's order, whatever the request's.
struct Binding {
  std::uint32_t rows = 0;
  std::array<const proto::InputTensor*, ports_max> inputs{};  // one per model input; points into the request
};

/// Errors: invalid_argument naming the tensor, what the model expects and what came.
proto::Result<Binding> bind_inputs(const proto::InferRequest& request, const proto::ModelDescription& model);

/// One output of the answer: which of the model's, and in which form.
struct BoundOutput {
  std::uint8_t index = 0;
  bool binary = false;
};
struct OutputSelection {
  std::array<BoundOutput, ports_max> outputs{};
  std::uint8_t count = 0;

  std::span<const BoundOutput> all() const noexcept { return {outputs.data(), count}; }
  bool any_json() const noexcept;
};

/// The outputs in the order of the request; all of the model's, in its order, when the request names none.
proto::Result<OutputSelection> select_outputs(const proto::InferRequest& request, const proto::ModelDescription& model);

}  // namespace headrace::pipeline
