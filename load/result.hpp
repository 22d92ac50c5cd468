#pragma once
// Expected failure of this tool: a text for the person who started it, naming what was expected and what came.

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace headrace::load {

template <class T>
using Result = tl::expected<T, std::string>;

inline tl::unexpected<std::string> fail(std::string message) { return tl::unexpected<std::string>(std::move(message)); }

}  // namespace headrace::load
