#include "service/models/fault_text.hpp"

#include <simdjson.h>

#include <cstddef>

namespace headrace::models {
namespace {

constexpr std::size_t shown_bytes_max = 80;
constexpr std::size_t name_bytes_max = 255;

bool is_control(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

void append_escaped(std::string& out, char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  out += "\\x";
  out += digits[byte >> 4U];
  out += digits[byte & 15U];
}

// The longest beginning of at most `bytes_max` bytes that does not end within a character.
std::string_view cut(std::string_view text, std::size_t bytes_max) noexcept {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > bytes_max - 3 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end);
}

}  // namespace

std::string printable(std::string_view text) {
  const bool utf8 = simdjson::validate_utf8(text.data(), text.size());
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_control(c) || (!utf8 && static_cast<unsigned char>(c) >= 0x80)) {
      append_escaped(out, c);
    } else {
      out += c;
    }
  }
  return out;
}

std::string in_quotes(std::string_view text) {
  const std::string_view shown = cut(text, shown_bytes_max);
  return "'" + printable(shown) + (shown.size() < text.size() ? "…'" : "'");
}

bool is_name(std::string_view text) noexcept {
  if (text.empty() || text.size() > name_bytes_max) return false;
  for (const char c : text) {
    if (is_control(c)) return false;
  }
  return simdjson::validate_utf8(text.data(), text.size());
}

}  // namespace headrace::models
