#include "gpu/slot_capacity.hpp"

#include <algorithm>
#include <cassert>
#include <string>

namespace headrace::gpu {

Result<std::uint32_t> slot_rows_max(const Program& program, std::uint32_t rows_max, std::size_t slot_bytes) {
  assert(rows_max > 0);
  const std::size_t row_bytes = program.widest_row_bytes();
  if (row_bytes > slot_bytes) {
    return fail(ErrorKind::out_of_memory, "slot_bytes: expected at least " + std::to_string(row_bytes) +
                                              " bytes, one of the program's widest rows, got " +
                                              std::to_string(slot_bytes));
  }
  return static_cast<std::uint32_t>(std::min<std::size_t>(rows_max, slot_bytes / row_bytes));
}

}  // namespace headrace::gpu
