#include "service/pipeline/reservation.hpp"

#include <algorithm>

#include "proto/infer_response.hpp"
#include "proto/limits.hpp"

namespace headrace::pipeline {

namespace {
// "0," is the shortest element of a JSON array, so a text of L bytes holds at most L/2 + 1 of them.
constexpr std::uint64_t json_element_bytes_min = 2;

std::uint64_t rows_in(std::uint64_t bytes, std::uint64_t bytes_per_row) noexcept {
  return bytes_per_row == 0 ? bytes : bytes / bytes_per_row + 1;
}

std::uint64_t rows_as_text(std::uint64_t json, const proto::TensorDescription& tensor) noexcept {
  return rows_in(json, row_elements(tensor) * json_element_bytes_min);
}
}  // namespace

std::size_t align_up(std::size_t bytes) noexcept {
  return (bytes + proto::body_alignment_bytes - 1) / proto::body_alignment_bytes * proto::body_alignment_bytes;
}

std::size_t row_elements(const proto::TensorDescription& tensor) noexcept {
  std::size_t elements = 1;
  for (const auto dim : tensor.row_shape) elements *= static_cast<std::size_t>(std::max<std::int64_t>(dim, 0));
  return elements;
}

std::size_t row_bytes(const proto::TensorDescription& tensor) noexcept {
  return row_elements(tensor) * proto::traits(tensor.datatype).item_bytes;
}

Reservation reserve_for(const ReservationInput& input, const proto::ModelDescription& model) noexcept {
  Reservation need;
  const std::uint64_t json = std::min(input.json_bytes.value_or(input.body_bytes), input.body_bytes);
  const std::uint64_t blobs = input.body_bytes - json;
  constexpr auto alignment = proto::body_alignment_bytes;
  need.body_offset = input.json_bytes ? (alignment - json % alignment) % alignment : 0;
  need.body = need.body_offset + input.body_bytes + proto::body_padding_bytes;

  // The rows of all inputs agree, so the tightest bound holds for all; but only what comes as text is bounded by the
  // text.
  std::uint64_t rows = model.max_batch_size;
  for (const auto& tensor : model.inputs) {
    rows = std::min(rows, std::max(rows_in(blobs, row_bytes(tensor)), rows_as_text(json, tensor)));
  }
  need.rows_max = rows;
  // Blobs must be somebody's: with a single input it is that one's, and nothing is left to come as text.
  const bool text_possible = blobs == 0 || model.inputs.size() > 1;
  for (const auto& tensor : model.inputs) {
    if (text_possible) need.decoded += std::min(rows, rows_as_text(json, tensor)) * row_bytes(tensor) + alignment;
  }
  for (const auto& tensor : model.outputs) {
    need.output += align_up(rows * row_bytes(tensor));
    need.text += rows * row_elements(tensor) * proto::json_element_bytes_max(tensor.datatype);
  }
  return need;
}

}  // namespace headrace::pipeline
