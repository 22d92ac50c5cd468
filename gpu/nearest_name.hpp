#pragma once
// "Did you mean …": which known name an unknown one was probably meant to be. Pure.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headrace::gpu {

/// The fewest single-character insertions, removals, replacements and swaps of neighbours that turn `a` into `b`;
/// a character's case counts as no difference.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known name closest to `name`, the first of equals; nothing when none is close enough to be a slip of the pen
/// (more than half of the longer name would have to change).
std::optional<std::string_view> nearest_name(std::string_view name, std::span<const std::string_view> known);

/// The end of a message about an unknown name: "; did you mean 'scale'? (known: scale, shift)".
/// Without a near one: " (known: scale, shift)"; without any: " (there are none)".
std::string nearest_name_hint(std::string_view name, std::span<const std::string_view> known);

}  // namespace headrace::gpu
