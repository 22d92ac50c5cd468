#pragma once
// How durations, sizes of requests and the like are written on the command line. Pure.

#include <cstdint>
#include <string_view>
#include <vector>

#include "load/clock.hpp"
#include "load/payload.hpp"
#include "load/result.hpp"

namespace headrace::load {

/// "10s", "1.5s", "500ms", "100us", "2m", "1h"; a plain number counts seconds. Above 0 unless `zero_allowed`.
Result<Duration> parse_duration(std::string_view text, bool zero_allowed = false);

/// "8" or "1..64": rows a request, uniform between both ends, each at least 1.
Result<RowRange> parse_row_range(std::string_view text);

/// "1,2,8", ascending, or "1..64": doubling from the first to the second, which is always the last. Whole, from 1 to
/// `max`.
Result<std::vector<double>> parse_concurrency_levels(std::string_view text, std::uint32_t max);

/// "100,500,2000", ascending, or "100..1000": ten, evenly spaced. Above 0, at most 1e9.
Result<std::vector<double>> parse_rate_levels(std::string_view text);

}  // namespace headrace::load
