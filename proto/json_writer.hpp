#pragma once
// Appending JSON to a string.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headrace::proto {

/// Appends `value` as a JSON string. Valid UTF-8 passes through; a byte that belongs to no valid sequence becomes
/// U+FFFD, so the result is valid JSON whatever came in.
void append_json_string(std::string& text, std::string_view value);

/// The bytes of the valid UTF-8 sequence that starts `text` (1 to 4), or 0.
std::size_t utf8_sequence_bytes(std::string_view text) noexcept;
bool is_valid_utf8(std::string_view text) noexcept;

/// Writes objects and arrays; commas are put where they belong. The caller closes what it opens.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& text) noexcept : text_(text) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  JsonWriter& string(std::string_view value);
  JsonWriter& boolean(bool value);
  JsonWriter& unsigned_integer(std::uint64_t value);
  JsonWriter& integer(std::int64_t value);
  /// A key and its value.
  JsonWriter& string(std::string_view name, std::string_view value) { return key(name).string(value); }
  JsonWriter& boolean(std::string_view name, bool value) { return key(name).boolean(value); }
  JsonWriter& unsigned_integer(std::string_view name, std::uint64_t value) { return key(name).unsigned_integer(value); }
  /// The text of a value that the caller appends itself.
  std::string& raw_value();

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();

  std::string& text_;
  bool first_ = true;  // nothing stands before the next item in its container
};

}  // namespace headrace::proto
