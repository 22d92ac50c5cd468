#pragma once
// How a file is laid out.

#include <cstddef>

#include "tests/tidy/source.hpp"

namespace headrace::tidy {

inline constexpr std::size_t columns_max = 120;

/// A header's first code is #pragma once.
Findings check_pragma_once(const Source& source);
/// At most columns_max characters a line, but a line that begins with a raw literal may be longer; a tab is refused, so
/// that a character is a column.
Findings check_columns(const Source& source);

}  // namespace headrace::tidy
