#pragma once
// What the service needs to know of an HTTP request head.

#include <cstdint>
#include <optional>
#include <string_view>

namespace headrace::http {

enum class Method : std::uint8_t { get, post, other };

/// Views into the parser's storage: valid until its reset().
struct RequestHead {
  Method method = Method::other;
  std::string_view method_text;
  std::string_view target;  // path and query, as sent
  std::optional<std::uint64_t> content_length;
  std::optional<std::string_view> json_length;  // Inference-Header-Content-Length, as sent
  std::string_view content_encoding;  // empty for none and for identity
  bool chunked = false;
  bool keep_alive = true;
  bool expect_continue = false;
};

}  // namespace headrace::http
