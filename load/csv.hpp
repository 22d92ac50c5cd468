#pragma once
// Reports as CSV (RFC 4180, without carriage returns): one line a run. Pure.

#include <string>
#include <string_view>

#include "load/report.hpp"

namespace headrace::load {

/// The names of csv_line()'s columns; the first is `run`.
std::string csv_head();
/// `run` says which one: a sweep's level, a side of a comparison.
std::string csv_line(std::string_view run, const Report& report);

}  // namespace headrace::load
