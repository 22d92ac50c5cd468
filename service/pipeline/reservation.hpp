#pragma once
// How much memory a request can need, known before its body is read: from Content-Length, the JSON length H and the
// model. Pure. Admission takes all of it at once, so that nothing waits for memory while holding memory.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "proto/documents.hpp"
#include "proto/error.hpp"

namespace headrace::pipeline {

struct ReservationInput {
  std::uint64_t body_bytes = 0;             // Content-Length
  std::optional<std::uint64_t> json_bytes;  // H; nothing: the whole body is JSON
};

/// Bytes by holder. Every figure is an upper bound for this request, never more than max_batch_size rows need.
struct Reservation {
  std::size_t body_offset = 0;  // where the body starts in its buffer, so that byte H stands on a 256-byte boundary
  std::size_t body = 0;         // offset + body + the JSON library's padding
  std::size_t decoded = 0;      // tensors that come as JSON; 0 when everything is binary
  std::size_t output = 0;       // response tensors, each on a 256-byte boundary
  std::size_t text = 0;         // JSON text of the outputs, should they be JSON; given back when they are not
  std::uint64_t rows_max = 0;   // the most rows that such a body can hold
};

Reservation reserve_for(const ReservationInput& input, const proto::ModelDescription& model) noexcept;

/// Elements of one row; free dimensions are not resolved here.
std::size_t row_elements(const proto::TensorDescription& tensor) noexcept;
std::size_t row_bytes(const proto::TensorDescription& tensor) noexcept;
/// `bytes` up to the next 256-byte boundary.
std::size_t align_up(std::size_t bytes) noexcept;

}  // namespace headrace::pipeline
