#include "proto/infer_request.hpp"

#include <charconv>

#include "proto/head_reader.hpp"
#include "proto/json_scan.hpp"
#include "proto/message.hpp"
#include "proto/tensor_content.hpp"

namespace headrace::proto {
namespace {

// Blobs stand behind the head in the order of the inputs, without gaps, and fill the body to its end.
Result<void> assign_blobs(InferRequest& request, std::span<const std::byte> blobs,
                          std::span<const std::uint64_t> blob_bytes) {
  auto rest = blobs;
  for (std::size_t i = 0; i < request.inputs.size(); ++i) {
    auto& input = request.inputs[i];
    if (!input.binary) continue;
    if (blob_bytes[i] > rest.size()) {
      return invalid(concat({where(input, "parameters.binary_data_size"), ": expected ", Decimal(blob_bytes[i]).view(),
                             " bytes of binary data in the body, got ", Decimal(rest.size()).view()}));
    }
    input.bytes = rest.first(blob_bytes[i]);
    rest = rest.subspan(blob_bytes[i]);
    if (auto fits = check_blob(input); !fits) return fits;
  }
  if (rest.empty()) return {};
  return invalid(concat({"body: expected ", Decimal(blobs.size() - rest.size()).view(),
                         " bytes of binary data behind the JSON part, got ", Decimal(blobs.size()).view()}));
}

}  // namespace

void InferRequest::clear() noexcept {
  id.clear();
  inputs.clear();
  outputs.clear();
  binary_data_output = false;
  timeout_us = 0;
  priority = 0;
}

struct InferRequestParser::Impl {
  HeadReader reader;
  std::vector<std::uint64_t> blob_bytes;
};

InferRequestParser::InferRequestParser() : impl_(std::make_unique<Impl>()) {}
InferRequestParser::~InferRequestParser() = default;
InferRequestParser::InferRequestParser(InferRequestParser&&) noexcept = default;
InferRequestParser& InferRequestParser::operator=(InferRequestParser&&) noexcept = default;

Result<void> InferRequestParser::parse(std::span<const std::byte> body, std::optional<std::size_t> json_bytes,
                                       InferRequest& request) {
  request.clear();
  impl_->blob_bytes.clear();
  const auto head_bytes = json_bytes.value_or(body.size());
  if (head_bytes > body.size()) {
    return invalid(concat({"Inference-Header-Content-Length: expected at most ", Decimal(body.size()).view(),
                           " (the body's length), got ", Decimal(head_bytes).view()}));
  }
  if (head_bytes == 0) {
    return invalid(json_bytes ? "Inference-Header-Content-Length: expected at least 1, got 0"
                              : "body: expected a JSON object, got nothing");
  }
  const std::string_view head(reinterpret_cast<const char*>(body.data()), head_bytes);
  if (auto read = impl_->reader.read(head, request, impl_->blob_bytes); !read) return read;
  return assign_blobs(request, body.subspan(head_bytes), impl_->blob_bytes);
}

Result<std::size_t> parse_json_length(std::string_view header_value, std::size_t body_bytes) {
  std::size_t length = 0;
  const auto* begin = header_value.data();
  const auto* end = begin + header_value.size();
  const auto [stop, error] = std::from_chars(begin, end, length);
  if (error == std::errc{} && stop == end && length <= body_bytes) return length;
  return invalid(concat({"Inference-Header-Content-Length: expected digits, at most ", Decimal(body_bytes).view(),
                         " (the body's length), got '", excerpt(header_value), "'"}));
}

}  // namespace headrace::proto
