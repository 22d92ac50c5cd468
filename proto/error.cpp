#include "proto/error.hpp"

#include <array>

namespace headrace::proto {
namespace {

constexpr std::array<ErrorTraits, 18> table{{
    {ErrorCode::invalid_argument, "invalid_argument", 400, false},
    {ErrorCode::not_found, "not_found", 404, false},
    {ErrorCode::method_not_allowed, "method_not_allowed", 405, false},
    {ErrorCode::request_timeout, "request_timeout", 408, false},
    {ErrorCode::payload_too_large, "payload_too_large", 413, false},
    {ErrorCode::unsupported_encoding, "unsupported_encoding", 415, false},
    {ErrorCode::not_representable, "not_representable", 422, false},
    {ErrorCode::queue_full, "queue_full", 429, true},
    {ErrorCode::over_budget, "over_budget", 429, true},
    {ErrorCode::header_too_large, "header_too_large", 431, false},
    {ErrorCode::client_gone, "client_gone", 499, false},
    {ErrorCode::internal, "internal", 500, false},
    {ErrorCode::device_failed, "device_failed", 500, false},
    {ErrorCode::unsupported_feature, "unsupported_feature", 501, false},
    {ErrorCode::not_ready, "not_ready", 503, true},
    {ErrorCode::draining, "draining", 503, true},
    {ErrorCode::deadline_expired, "deadline_expired", 504, false},
    {ErrorCode::forbidden, "forbidden", 403, false},
}};

constexpr bool in_enumeration_order() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].code) != i) return false;
  }
  return true;
}
static_assert(in_enumeration_order());

}  // namespace

std::span<const ErrorTraits> error_table() noexcept { return table; }

const ErrorTraits& traits(ErrorCode code) noexcept { return table[static_cast<std::size_t>(code)]; }

}  // namespace headrace::proto
