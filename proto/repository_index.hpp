#pragma once
// The body of POST /v2/repository/index: empty, or an object whose only known key is `ready`.

#include <string_view>

#include "proto/error.hpp"

namespace headrace::proto {

/// True when only ready models are asked for. Errors: invalid_argument for anything but an object, or a `ready` that is not
/// a boolean. Unknown keys are ignored, as everywhere in the protocol.
Result<bool> parse_repository_index(std::string_view body);

}  // namespace headrace::proto
