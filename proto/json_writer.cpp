#include "proto/json_writer.hpp"

#include "proto/message.hpp"

namespace headrace::proto {
namespace {

constexpr bool passes_through(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20U && byte < 0x80U && c != '"' && c != '\\';
}

void append_escape(std::string& text, char c) {
  switch (c) {
    case '"': text += "\\\""; return;
    case '\\': text += "\\\\"; return;
    case '\n': text += "\\n"; return;
    case '\r': text += "\\r"; return;
    case '\t': text += "\\t"; return;
    default: break;
  }
  constexpr std::string_view hex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  text += "\\u00";
  text += hex[byte >> 4U];
  text += hex[byte & 0xFU];
}

}  // namespace

std::size_t utf8_sequence_bytes(std::string_view text) noexcept {
  if (text.empty()) return 0;
  const auto at = [text](std::size_t i) -> std::uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto follows = [at](std::size_t i) { return (at(i) & 0xC0U) == 0x80U; };
  const auto lead = at(0);
  if (lead < 0x80U) return 1;
  if (lead < 0xC2U) return 0;
  if (lead < 0xE0U) return follows(1) ? 2 : 0;
  if (lead < 0xF0U) {
    const bool overlong = lead == 0xE0U && at(1) < 0xA0U;
    const bool surrogate = lead == 0xEDU && at(1) >= 0xA0U;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead < 0xF5U) {
    const bool overlong = lead == 0xF0U && at(1) < 0x90U;
    const bool beyond_unicode = lead == 0xF4U && at(1) >= 0x90U;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond_unicode ? 4 : 0;
  }
  return 0;
}

bool is_valid_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const auto bytes = utf8_sequence_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

void append_json_string(std::string& text, std::string_view value) {
  text += '"';
  while (!value.empty()) {
    std::size_t plain = 0;
    while (plain < value.size() && passes_through(value[plain])) ++plain;
    text.append(value.substr(0, plain));
    value.remove_prefix(plain);
    if (value.empty()) break;
    if (static_cast<unsigned char>(value.front()) < 0x80U) {
      append_escape(text, value.front());
      value.remove_prefix(1);
    } else if (const auto bytes = utf8_sequence_bytes(value); bytes != 0) {
      text.append(value.substr(0, bytes));
      value.remove_prefix(bytes);
    } else {
      text += "\xEF\xBF\xBD";
      value.remove_prefix(1);
    }
  }
  text += '"';
}

void JsonWriter::separate() {
  if (!first_) text_ += ',';
  first_ = false;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  text_ += bracket;
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(text_, name);
  text_ += ':';
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::string(std::string_view value) {
  append_json_string(raw_value(), value);
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  raw_value() += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::unsigned_integer(std::uint64_t value) {
  raw_value() += Decimal(value).view();
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t value) {
  raw_value() += Decimal(value).view();
  return *this;
}

std::string& JsonWriter::raw_value() {
  separate();
  return text_;
}

}  // namespace headrace::proto
