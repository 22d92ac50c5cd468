#include "service/telemetry/log_line.hpp"

#include <array>
#include <cstdio>

namespace headrace::telemetry {
namespace {

std::string_view level_name(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::debug: return "debug";
    case LogLevel::info: return "info";
    case LogLevel::warning: return "warning";
    case LogLevel::error: return "error";
  }
  return "error";
}

void append_time(std::string& out, std::chrono::system_clock::time_point time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::milliseconds>(time - day));
  std::array<char, 64> text{};
  const int length = std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", int{date.year()}, unsigned{date.month()},
      unsigned{date.day()}, static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  out.append(text.data(), static_cast<std::size_t>(length));
}

/// Bytes of the well-formed UTF-8 sequence that the text begins with (RFC 3629), or 0.
std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) >= 0xA0;
  const bool too_large = first == 0xF4 && byte(1) >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

/// Escapes as in a JSON string; `quotes`: the quotation mark too.
void append_escaped(std::string& out, std::string_view text, bool quotes) {
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text.front());
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out += "\xEF\xBF\xBD";  // U+FFFD, for each byte that is part of no character
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < 0x20 || c == 0x7F) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", unsigned{c});
      out += code.data();
    } else if (c == '\\' || (c == '"' && quotes)) {
      out += '\\';
      out += static_cast<char>(c);
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  append_escaped(out, text, true);
  out += '"';
}

bool plain(std::string_view value) noexcept {
  if (value.empty()) return false;
  for (const char c : value) {
    if (c <= ' ' || c > '~' || c == '"' || c == '=' || c == '\\') return false;
  }
  return true;
}

std::string text_line(const LogEvent& event) {
  std::string out;
  append_time(out, event.time);
  const std::string_view level = level_name(event.level);
  out += ' ';
  out += level;
  out.append(8 - level.size(), ' ');
  append_escaped(out, event.message, false);
  for (const auto& [key, value] : event.fields) {
    out += ' ';
    append_escaped(out, key, true);
    out += '=';
    if (plain(value)) {
      out += value;
    } else {
      append_quoted(out, value);
    }
  }
  return out;
}

std::string json_line(const LogEvent& event) {
  std::string out = "{\"time\":\"";
  append_time(out, event.time);
  out += "\",\"level\":\"";
  out += level_name(event.level);
  out += "\",\"message\":";
  append_quoted(out, event.message);
  for (const auto& [key, value] : event.fields) {
    const bool taken = key == "time" || key == "level" || key == "message";
    out += ",\"";
    append_escaped(out, key, true);
    out += taken ? "_\":" : "\":";
    append_quoted(out, value);
  }
  out += '}';
  return out;
}

}  // namespace

std::string log_line(LogFormat format, const LogEvent& event) {
  return format == LogFormat::json ? json_line(event) : text_line(event);
}

}  // namespace headrace::telemetry
