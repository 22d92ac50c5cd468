#pragma once
// A log event → its line. Pure. One event is one line whatever a value holds: control characters are escaped,
// so that no client can forge a line, and JSON stays valid UTF-8.

#include <chrono>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "service/telemetry/log.hpp"

namespace headrace::telemetry {

struct LogEvent {
  std::chrono::system_clock::time_point time;
  LogLevel level;
  std::string_view message;
  std::span<const LogField> fields;
};

/// Without the end of line. Text: `2026-11-30T12:00:00.000Z info    message key=value key="two words"`. JSON:
/// one object with the members time, level, message and the fields, whose values are strings; a field of one
/// of those three names gets a `_` behind it.
std::string log_line(LogFormat format, const LogEvent& event);

}  // namespace headrace::telemetry
