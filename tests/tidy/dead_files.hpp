#pragma once
// Files that nothing builds or includes.

#include <span>

#include "tests/tidy/source.hpp"

namespace headrace::tidy {

/// A *.cpp or *.cu that no CMakeLists.txt or *.cmake names by its path from there or from the root, and a header that
/// no other file includes. A name in CMake may be a pattern: `ops/*.cpp`; `ops/${op}/${op}.cpp`, where one variable
/// stands for one text.
Findings check_dead_files(std::span<const Source> sources, std::span<const Source> build_files);

}  // namespace headrace::tidy
