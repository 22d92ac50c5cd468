#pragma once
// A small strict JSON scanner over text: what the JSON library skips without checking is checked here, without
// recursion and without memory of its own. Whether strings are valid UTF-8 is not looked at.

#include <cstddef>
#include <string_view>

namespace headrace::proto {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

inline const char* skip_blanks(const char* p, const char* end) noexcept {
  while (p != end && is_blank(*p)) ++p;
  return p;
}

/// The end of the number, string or literal that starts at `p`; nullptr when none does.
const char* scan_scalar(const char* p, const char* end) noexcept;

/// The characters from `p` up to the next comma, bracket or blank: what a message calls "got".
std::string_view token_at(const char* p, const char* end) noexcept;

/// Where `text` stops being exactly one JSON value of at most json_depth_max nested brackets (blanks around
/// it allowed).
struct JsonCheck {
  enum class Fault { none, malformed, too_deep } fault = Fault::none;
  std::size_t offset = 0;  // of the fault, in `text`
};
JsonCheck check_json(std::string_view text) noexcept;

}  // namespace headrace::proto
