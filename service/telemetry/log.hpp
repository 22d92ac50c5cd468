#pragma once
// The log front: what all of the service may use. Thread-safe; writing happens on spdlog's own thread, its
// queue is bounded and drops the oldest line when full, so that no caller ever waits for a disk.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace headrace::telemetry {

enum class LogLevel : std::uint8_t { debug, info, warning, error };
enum class LogFormat : std::uint8_t { text, json };

/// A named value beside the message: key=value in text, a member in JSON. Values are escaped by the log.
using LogField = std::pair<std::string_view, std::string>;

/// Call once at start, before any other thread logs. Lines go to standard error, or to `path` when it is not
/// empty. The writer's thread takes no signals. Throws std::runtime_error when the file cannot be opened.
void log_start(LogLevel level, LogFormat format, const std::string& path = {});
/// Writes what is queued and stops the writer. With no writer, before the start and after this, warnings and
/// errors go straight to standard error and the rest is dropped.
void log_stop() noexcept;

void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {}) noexcept;

/// At most `lines_per_second_max` lines a second for one kind of event; the next line that passes says how
/// many were left out (field "suppressed"). One object per kind, static or a member; thread-safe.
class LogThrottle {
 public:
  explicit LogThrottle(std::uint32_t lines_per_second_max = 5);
  void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {}) noexcept;
  ~LogThrottle();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headrace::telemetry
