#pragma once
// Reading typed fields with the JSON library: each failure names the place, what was expected and what came.
// Included by sources only: it brings the JSON library.

#include <simdjson.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "proto/error.hpp"
#include "proto/json_scan.hpp"
#include "proto/message.hpp"

namespace headrace::proto::head {

namespace ondemand = simdjson::ondemand;

/// The text itself is not JSON; the reader replaces this by a message that says where.
inline tl::unexpected<Error> malformed() { return invalid({}); }
inline bool is_malformed(const Error& error) noexcept { return error.message.empty(); }

/// What stands where a value begins, for messages.
inline std::string shown(std::string_view raw) {
  if (raw.starts_with('[')) return "an array";
  if (raw.starts_with('{')) return "an object";
  return excerpt(raw);
}

inline tl::unexpected<Error> expected_here(std::string_view place, std::string_view expected, std::string_view raw) {
  return invalid(concat({place, ": expected ", expected, ", got ", shown(raw)}));
}

/// The raw text of a value that nobody has read yet, to its end; for arrays and objects this reads it.
inline Result<std::string_view> raw_text(ondemand::value value) {
  std::string_view raw = value.raw_json_token();
  auto error = simdjson::SUCCESS;
  if (raw.starts_with('[')) {
    ondemand::array array;
    error = value.get_array().get(array);
    if (error == simdjson::SUCCESS) error = array.raw_json().get(raw);
  } else if (raw.starts_with('{')) {
    ondemand::object object;
    error = value.get_object().get(object);
    if (error == simdjson::SUCCESS) error = object.raw_json().get(raw);
  }
  if (error != simdjson::SUCCESS) return malformed();
  return raw;
}

/// Passes over a value that means nothing here, and checks that it is JSON: the library would skip anything. A string
/// is read, because an unread one followed by ':' would be skipped as a key, together with the value behind it.
inline Result<void> skip(ondemand::value value) {
  const auto raw = raw_text(value);
  if (!raw || check_json(*raw).fault != JsonCheck::Fault::none) return malformed();
  if (raw->starts_with('"') && value.get_raw_json_string().error() != simdjson::SUCCESS) return malformed();
  return {};
}

template <class Where>
Result<std::string_view> read_string(ondemand::value value, const Where& where) {
  const std::string_view raw = value.raw_json_token();
  if (!raw.starts_with('"')) return expected_here(where(), "a string", raw);
  std::string_view text;
  if (value.get_string().get(text) != simdjson::SUCCESS) return malformed();
  return text;
}

template <class Where>
Result<std::uint64_t> read_unsigned(ondemand::value value, const Where& where,
                                    std::uint64_t max = std::numeric_limits<std::uint64_t>::max()) {
  const std::string_view raw = value.raw_json_token();
  std::uint64_t number = 0;
  if (value.get_uint64().get(number) == simdjson::SUCCESS && number <= max) return number;
  return expected_here(where(), concat({"an integer from 0 to ", Decimal(max).view()}), raw);
}

template <class Where>
Result<bool> read_boolean(ondemand::value value, const Where& where) {
  const std::string_view raw = value.raw_json_token();
  bool flag = false;
  if (value.get_bool().get(flag) == simdjson::SUCCESS) return flag;
  return expected_here(where(), "true or false", raw);
}

template <class Where>
Result<ondemand::object> read_object(ondemand::value value, const Where& where) {
  const std::string_view raw = value.raw_json_token();
  if (!raw.starts_with('{')) return expected_here(where(), "an object", raw);
  ondemand::object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) return malformed();
  return object;
}

template <class Where>
Result<ondemand::array> read_array(ondemand::value value, const Where& where) {
  const std::string_view raw = value.raw_json_token();
  if (!raw.starts_with('[')) return expected_here(where(), "an array", raw);
  ondemand::array array;
  if (value.get_array().get(array) != simdjson::SUCCESS) return malformed();
  return array;
}

/// Whether `value` stands inside `text`. Behind a text that ends too early the library reads on: first the byte after
/// it, which may be anything, then its own leftovers.
inline bool is_inside(ondemand::value& value, std::string_view text) noexcept {
  const std::string_view raw = value.raw_json_token();
  const auto* end = text.data() + text.size();
  return raw.data() >= text.data() && raw.data() < end && raw.size() <= static_cast<std::size_t>(end - raw.data());
}

/// The library's own call takes no argument in 3.0 and needs one in 3.6.
template <class Field>
simdjson::simdjson_result<std::string_view> unescaped_key(Field& field) {
  if constexpr (requires { field.unescaped_key(false); }) {
    return field.unescaped_key(false);
  } else {
    return field.unescaped_key();
  }
}

/// Calls `handle(key, value)` for each field, in the order of the text.
template <class Handler>
Result<void> each_field(ondemand::object object, std::string_view text, const Handler& handle) {
  for (auto item : object) {
    ondemand::field field;
    std::string_view key;
    if (std::move(item).get(field) != simdjson::SUCCESS) return malformed();
    if (unescaped_key(field).get(key) != simdjson::SUCCESS) return malformed();
    auto value = field.value();
    if (!is_inside(value, text)) return malformed();
    auto handled = handle(key, value);
    if (!handled) return handled;
  }
  return {};
}

/// Calls `handle(index, value)` for each element.
template <class Handler>
Result<void> each_element(ondemand::array array, std::string_view text, const Handler& handle) {
  std::size_t index = 0;
  for (auto item : array) {
    ondemand::value value;
    if (std::move(item).get(value) != simdjson::SUCCESS || !is_inside(value, text)) return malformed();
    auto handled = handle(index++, value);
    if (!handled) return handled;
  }
  return {};
}

/// The known keys of one object, each allowed once. At most 32.
template <std::size_t count>
class Keys {
 public:
  explicit Keys(const std::array<std::string_view, count>& names) noexcept : names_(names) {}

  /// The key's place in the list, count when it is unknown. False when it was taken before.
  bool take(std::string_view key, std::size_t& index) noexcept {
    index = static_cast<std::size_t>(std::ranges::find(names_, key) - names_.begin());
    if (index == count) return true;
    const auto bit = std::uint32_t{1} << index;
    return (std::exchange(seen_, seen_ | bit) & bit) == 0;
  }
  bool has(std::size_t index) const noexcept { return (seen_ >> index & 1U) != 0; }

 private:
  const std::array<std::string_view, count>& names_;
  std::uint32_t seen_ = 0;
};

inline tl::unexpected<Error> given_twice(std::string_view place) {
  return invalid(concat({place, ": expected once, got it twice"}));
}

inline tl::unexpected<Error> missing(std::string_view place) {
  return invalid(concat({place, ": expected, but missing"}));
}

inline tl::unexpected<Error> no_shared_memory(std::string_view place) {
  return invalid(
      concat({place, ": shared memory is not supported; expected tensors inside the request and the answer"}));
}

/// Moves a value that was read into its place.
template <class Value, class Destination>
Result<void> store(Result<Value> read, Destination& destination) {
  if (!read) return tl::unexpected(std::move(read.error()));
  destination = static_cast<Destination>(*read);
  return {};
}

}  // namespace headrace::proto::head
