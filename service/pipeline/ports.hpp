#pragma once

#include <cstddef>

namespace headrace::pipeline {

inline constexpr std::size_t ports_max = 8;  // inputs, and outputs, of one model

}  // namespace headrace::pipeline
