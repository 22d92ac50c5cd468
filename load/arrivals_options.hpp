#pragma once
// How the plan of an open loop is written on the command line. Pure, but for reading the replayed file.

#include <string>
#include <string_view>
#include <vector>

#include "load/result.hpp"
#include "load/schedule.hpp"

namespace headrace::load {

/// "1000": constant; "100..2000": a ramp over `length`; "100,400,100": steps, each an equal part of `length`. The first
/// rate holds for `warmup` before it. Rates are finite, from 0 to 1e9, and not all 0.
Result<Arrivals> parse_rate(std::string_view text, Duration warmup, Duration length);

/// Times in seconds, one a line, in ascending order; blank lines and lines that start with # are skipped. The first one
/// is the start of the plan. The error names the line.
Result<std::vector<Duration>> parse_time_stamps(std::string_view text);

/// parse_time_stamps() of a file.
Result<std::vector<Duration>> read_time_stamps(const std::string& path);

}  // namespace headrace::load
