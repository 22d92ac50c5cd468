#pragma once
// The one error table: what can go wrong with a request, its HTTP status, and whether trying again can help.
// Expected failures are values (Result), never exceptions.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace headrace::proto {

enum class ErrorCode : std::uint8_t {
  invalid_argument,        // 400: malformed body, wrong shape, datatype, size, unknown tensor
  not_found,               // 404: unknown path, model or version
  method_not_allowed,      // 405
  request_timeout,         // 408: header or body came too slowly
  payload_too_large,       // 413
  unsupported_encoding,    // 415: Content-Encoding
  not_representable,       // 422: an answer that JSON cannot carry (NaN, infinity)
  queue_full,              // 429: the model's queue has no place
  over_budget,             // 429: the byte budget has no room
  header_too_large,        // 431
  client_gone,             // 499: never written; the label under which it is counted
  internal,                // 500
  device_failed,           // 500: the device could not run the batch
  unsupported_feature,     // 501
  not_ready,               // 503: the model or the device is not ready
  draining,                // 503: shutting down
  deadline_expired,        // 504: the request's time ran out in the queue
  forbidden,               // 403: the feature is switched off
};

struct ErrorTraits {
  ErrorCode code;
  std::string_view name;  // label value in metrics and logs: "queue_full"
  int http_status;
  bool retryable;  // the same request may succeed later: the answer carries Retry-After
};

/// All rows, in the order of the enumeration.
std::span<const ErrorTraits> error_table() noexcept;
const ErrorTraits& traits(ErrorCode code) noexcept;

struct Error {
  ErrorCode code;
  std::string message;  // names the field, what was expected and what came; shown to the client
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}
inline tl::unexpected<Error> invalid(std::string message) {
  return fail(ErrorCode::invalid_argument, std::move(message));
}

}  // namespace headrace::proto
