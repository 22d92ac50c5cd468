#include "gpu/cpu/tile_plan.hpp"

#include <algorithm>
#include <bit>

namespace headrace::gpu::cpu {

std::size_t tile_rows_max(std::size_t widest_row_bytes) noexcept {
  return std::bit_floor(std::max<std::size_t>(tile_bytes / std::max<std::size_t>(widest_row_bytes, 1), 1));
}

Tile next_tile(std::span<const Segment> segments, RowCursor from, std::size_t rows_max) noexcept {
  Tile tile{from, 0, true};
  const std::size_t alone_min = std::min(rows_alone_min, rows_max);
  std::size_t pieces = 0;
  for (std::size_t i = from.segment; i < segments.size() && tile.rows < rows_max; ++i) {
    const std::size_t available = segments[i].rows - (i == from.segment ? from.row : 0);
    if (available == 0) continue;
    const bool large = available >= alone_min;
    if (large && pieces > 0) break;
    tile.rows += std::min(available, rows_max - tile.rows);
    ++pieces;
    if (large) break;
  }
  tile.one_segment = pieces == 1;
  return tile;
}

}  // namespace headrace::gpu::cpu
