#pragma once
// Words of a fault line. What came from a file is shown so that it stays on one line and cannot disturb a terminal.

#include <string>
#include <string_view>

namespace headrace::models {

/// Control characters and bytes that are not UTF-8 as \xNN; the rest as it is.
std::string printable(std::string_view text);
/// 'text' in quotes, printable, cut after 80 bytes.
std::string in_quotes(std::string_view text);
/// A name that can be shown, logged and put into JSON: 1 to 255 bytes of UTF-8 without control characters.
bool is_name(std::string_view text) noexcept;
inline constexpr std::string_view name_expected = "a name of 1 to 255 bytes of UTF-8 without control characters";

}  // namespace headrace::models
