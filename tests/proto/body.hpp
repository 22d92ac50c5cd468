#pragma once
// Request bodies for tests: an exactly sized heap block of body and padding, the padding full of misleading bytes.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/infer_request.hpp"
#include "proto/limits.hpp"

namespace headrace::proto::test {

class Body {
 public:
  explicit Body(std::string_view content)
      : size_(content.size()), block_(std::make_unique<std::byte[]>(size_ + body_padding_bytes)) {
    std::ranges::copy(std::as_bytes(std::span(content)), block_.get());
    constexpr std::string_view misleading = "\"}],:1{[\\";
    for (std::size_t i = 0; i < body_padding_bytes; ++i) {
      block_[size_ + i] = static_cast<std::byte>(misleading[i % misleading.size()]);
    }
  }
  std::span<const std::byte> bytes() const { return {block_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<std::byte[]> block_;
};

/// A body with its parsed request; the views stay good as long as this lives.
struct Parsed {
  explicit Parsed(std::string_view head, std::string_view blobs = {}, bool with_length = true)
      : body(std::string(head).append(blobs)) {
    const auto json_bytes = with_length ? std::optional(head.size()) : std::nullopt;
    result = InferRequestParser().parse(body.bytes(), json_bytes, request);
  }
  std::string message() const { return result ? std::string("(no error)") : result.error().message; }

  Body body;
  InferRequest request;
  Result<void> result;
};

template <class Element>
std::string bytes_of(const std::vector<Element>& elements) {
  std::string bytes(elements.size() * sizeof(Element), '\0');
  if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// One input with JSON data, everything else about it given.
inline std::string json_input(std::string_view datatype, std::string_view shape, std::string_view data) {
  std::string text = R"({"inputs":[{"name":"x","datatype":")";
  return text.append(datatype).append(R"(","shape":)").append(shape).append(R"(,"data":)").append(data).append("}]}");
}

}  // namespace headrace::proto::test
