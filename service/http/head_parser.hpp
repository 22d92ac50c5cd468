#pragma once
// Bytes → RequestHead, by Beast's header parser, which refuses conflicting lengths, bare line feeds and the like; what
// it lets pass and should not (a missing Host, folded lines, transfer codings before chunked) is refused here.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "proto/error.hpp"
#include "service/http/request_head.hpp"

namespace headrace::http {

inline constexpr std::size_t head_bytes_max = 16 * 1024;

class HeadParser {
 public:
  enum class Status : std::uint8_t { need_more, done, failed };

  HeadParser();
  ~HeadParser();
  HeadParser(const HeadParser&) = delete;
  HeadParser& operator=(const HeadParser&) = delete;

  /// Ready for the next head. `body_bytes_max`: a larger Content-Length fails with payload_too_large.
  void reset(std::uint64_t body_bytes_max);
  /// Looks at all unread bytes of the connection, those of earlier calls included; `consumed` tells how many belong to
  /// the head once it is done, and is 0 before.
  Status put(std::span<const char> unread, std::size_t& consumed);

  const RequestHead& head() const noexcept;
  const proto::Error& error() const noexcept;  // after failed

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headrace::http
