#pragma once
// Results → the head of the answer. Binary outputs follow the head as blobs in the order of `outputs`, written by the
// caller with one gather write; JSON outputs are text inside the head.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "proto/datatype.hpp"
#include "proto/error.hpp"
#include "proto/shape.hpp"

namespace headrace::proto {

struct OutputTensor {
  std::string_view name;
  Datatype datatype = Datatype::fp32;
  Shape shape;  // with the batch dimension
  std::span<const std::byte> bytes;
  bool binary = false;
};

struct InferResponse {
  std::string_view id;  // echoed only when not empty
  std::string_view model_name;
  std::string_view model_version;
  std::span<const OutputTensor> outputs;

  /// Bytes of all blobs that follow the head.
  std::size_t blob_bytes() const noexcept;
};

/// Appends the JSON head to `text`. FP32 and FP64 in their shortest exact form, FP16 and BF16 as the FP32 of equal
/// value.
/// Errors: not_representable naming the output when a JSON output holds NaN, an infinity or BYTES that are not UTF-8;
/// `text` is then left as it was.
Result<void> encode_infer_response(const InferResponse& response, std::string& text);

/// An upper bound of the JSON text of one element, comma included: what admission charges for a JSON output. For BYTES,
/// whose elements have no fixed size, the bound for each byte of the blob.
std::size_t json_element_bytes_max(Datatype datatype) noexcept;

}  // namespace headrace::proto
