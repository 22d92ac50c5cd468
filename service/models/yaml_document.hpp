#pragma once
// Text → one YAML document.

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace headrace::models {

inline constexpr std::size_t yaml_bytes_max = 256U << 10U;

/// The one document of `text`. Errors: "line 3, column 7: expected YAML, got: …", too large, empty, more than one.
/// Throws nothing but std::bad_alloc.
tl::expected<YAML::Node, std::string> parse_yaml(std::string_view text);

}  // namespace headrace::models
