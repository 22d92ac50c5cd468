#pragma once
// The body of POST /v2/repository/index: empty, or an object whose only known key is `ready`.

#include <string_view>

#include "proto/error.hpp"

namespace headrace::proto {

/// True when only ready models are asked for. Errors: invalid_argument for anything but an object, or a `ready` that is
/// not a boolean; payload_too_large beyond repository_index_body_bytes_max. Unknown keys are ignored, as everywhere.
Result<bool> parse_repository_index(std::string_view body);

}  // namespace headrace::proto
