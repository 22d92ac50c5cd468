#pragma once
// How many rows of a program a slot holds: the same answer on every device. Pure.

#include <cstddef>
#include <cstdint>

#include "gpu/error.hpp"
#include "gpu/program.hpp"

namespace headrace::gpu {

/// The smaller of `rows_max` (at least 1, asserted) and slot_bytes / program.widest_row_bytes().
/// Errors: out_of_memory when not even one row fits, naming both sizes.
Result<std::uint32_t> slot_rows_max(const Program& program, std::uint32_t rows_max, std::size_t slot_bytes);

}  // namespace headrace::gpu
