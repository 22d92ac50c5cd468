#pragma once
// Which rows of a batch are computed together on the CPU device. Pure.

#include <cstddef>
#include <span>

#include "gpu/device.hpp"
#include "gpu/gather.hpp"

namespace headrace::gpu::cpu {

/// Both ping-pong buffers of a tile together stay in a core's second-level cache.
inline constexpr std::size_t tile_bytes = 128u << 10;
/// From this many rows on a request is worth a tile of its own: reading it in place saves more than a fuller tile
/// gains.
inline constexpr std::size_t rows_alone_min = 16;

/// Rows of a full tile, at least 1. A power of two where several fit, so that a tile's first row is aligned to 64 bytes
/// whenever its segment is.
std::size_t tile_rows_max(std::size_t widest_row_bytes) noexcept;

struct Tile {
  RowCursor from;
  std::size_t rows = 0;  // 0: no rows are left
  bool one_segment = false;  // all rows lie in one request's buffers, one behind the other
};

/// The tile that begins at `from`, which is a cursor from RowCursor::advanced. Small requests are gathered into one
/// tile; a large one is never cut to fill up a tile of others.
Tile next_tile(std::span<const Segment> segments, RowCursor from, std::size_t rows_max) noexcept;

}  // namespace headrace::gpu::cpu
