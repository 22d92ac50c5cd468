#pragma once
// A complete answer and its response head. Every error leaves as {"error":"…"} with Content-Type exactly
// application/json.

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "proto/error.hpp"

namespace headrace::http {

inline constexpr std::string_view json_type = "application/json";
inline constexpr std::string_view binary_type = "application/octet-stream";
inline constexpr std::string_view metrics_type = "text/plain; version=0.0.4; charset=utf-8";

struct Reply {
  int status = 200;
  std::string_view content_type = json_type;
  std::string body;
  std::string_view allow = {};                       // 405: the methods of the path
  std::optional<std::uint32_t> retry_after_s = {};   // 429 and 503
  std::string_view error_name = {};                  // label of the error, empty for success
};

Reply error_reply(const proto::Error& error);

/// What stands in a response head beside the body's own bytes.
struct ResponseHead {
  int status = 200;
  std::string_view content_type = json_type;
  std::uint64_t content_length = 0;
  std::optional<std::size_t> json_length = {};  // Inference-Header-Content-Length
  std::string_view allow = {};
  std::optional<std::uint32_t> retry_after_s = {};
  bool close = false;  // "Connection: close"
};

std::string_view reason_phrase(int status) noexcept;

/// The Date header's value, made anew when the second changes; one per thread.
class DateText {
 public:
  std::string_view now() noexcept;

 private:
  std::time_t second_ = -1;
  char text_[32] = {};
  std::size_t size_ = 0;
};

inline constexpr std::size_t response_head_bytes_max = 512;

/// Writes the head, its closing empty line included, into `out` (response_head_bytes_max bytes); returns its length.
std::size_t write_response_head(const ResponseHead& head, std::string_view date, char* out) noexcept;

}  // namespace headrace::http
