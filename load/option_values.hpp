#pragma once
// How durations, sizes of requests and the like are written on the command line. Pure.

#include <string_view>

#include "load/clock.hpp"
#include "load/payload.hpp"
#include "load/result.hpp"

namespace headrace::load {

/// "10s", "1.5s", "500ms", "100us", "2m", "1h"; a plain number counts seconds. Above 0 unless `zero_allowed`.
Result<Duration> parse_duration(std::string_view text, bool zero_allowed = false);

/// "8" or "1..64": rows a request, uniform between both ends, each at least 1.
Result<RowRange> parse_row_range(std::string_view text);

}  // namespace headrace::load
