#pragma once
// The body of POST /v2/models/M/infer → InferRequest: names and parameters by value, tensor data as views.
//
// Layout: <JSON object of H bytes><blob of input k1><blob of input k2>…, blobs in the order of the `inputs` array and
// only for inputs that carry `binary_data_size`; without the header Inference-Header-Content-Length the whole body is
// JSON. The codec knows no model: whether names, datatypes and shapes fit one is checked by its caller.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/datatype.hpp"
#include "proto/error.hpp"
#include "proto/shape.hpp"

namespace headrace::proto {

struct InputTensor {
  std::string name;
  Datatype datatype = Datatype::fp32;
  Shape shape;
  bool binary = false;
  /// Binary: the blob at any alignment, exactly elements × item_bytes; for BYTES its walk is checked.
  std::span<const std::byte> bytes;
  /// Otherwise: the `data` array as it stands in the body, not yet decoded.
  std::string_view json;
  std::size_t index = 0;  // place in the request's `inputs`; messages name it
};

struct RequestedOutput {
  std::string name;
  std::optional<bool> binary;  // parameters.binary_data; absent means JSON
  std::optional<std::uint32_t> classification;  // parameters.classification = k
};

struct InferRequest {
  std::string id;  // empty means absent
  std::vector<InputTensor> inputs;
  std::vector<RequestedOutput> outputs;  // empty: every output of the model
  bool binary_data_output = false;  // applies when `outputs` is empty
  std::uint64_t timeout_us = 0;  // 0: none
  std::uint64_t priority = 0;  // 0: the default level

  void clear() noexcept;
};

/// Parses heads; reuse one per thread. It holds the JSON library's scratch memory: while a head is parsed up to 6 bytes
/// for each of its bytes, and between requests what a head of parser_kept_head_bytes_max needed.
class InferRequestParser {
 public:
  InferRequestParser();
  ~InferRequestParser();
  InferRequestParser(InferRequestParser&&) noexcept;
  InferRequestParser& operator=(InferRequestParser&&) noexcept;

  /// `body` must be followed by body_padding_bytes readable bytes. `json_bytes` is H; nothing when the header is
  /// absent. On success `request` holds views into `body`, which must outlive it. It is cleared first and keeps its
  /// capacity.
  /// Strict: wrong JSON types, names and known keys given twice, and anything behind the object are refused; unknown
  /// keys are checked to be JSON and ignored. A JSON `data` array is only bounded here: an accepted shape has at most
  /// half as many elements as the text has bytes. decode_json_data checks the rest.
  /// Errors: invalid_argument naming the field, also for shared memory and sequences; payload_too_large for a head of
  /// 4 GiB or more.
  Result<void> parse(std::span<const std::byte> body, std::optional<std::size_t> json_bytes, InferRequest& request);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Parses the value of Inference-Header-Content-Length: digits only, at most `body_bytes`; else invalid_argument (400).
Result<std::size_t> parse_json_length(std::string_view header_value, std::size_t body_bytes);

/// Decodes the JSON `data` of `input` into `destination`, row-major little-endian; nested to the shape or flat.
/// `destination` is exactly elements × item_bytes of fixed-size datatypes, at any alignment; BYTES is refused, since
/// its elements carry their own length: it is taken as binary data only.
/// Range-checked: 300 as UINT8, 1e39 as FP32 and a count that does not match the shape are invalid_argument. INT64 and
/// UINT64 are exact; FP32 and FP64 are rounded once, FP16 and BF16 from FP64, always to nearest, ties to even. After
/// an error `destination` holds the elements before the fault.
/// Thread-safe: uses no shared state.
Result<void> decode_json_data(const InputTensor& input, std::span<std::byte> destination);

}  // namespace headrace::proto
