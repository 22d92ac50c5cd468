#pragma once
// Where rows are moved by the host's processor: out of the requests' buffers into one contiguous tile,
// and back. Byte-wise, so that any address will do. Pure.

#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/device.hpp"

namespace headrace::gpu {

/// A place in a table of segments, counted in rows.
struct RowCursor {
  std::size_t segment = 0;
  std::uint32_t row = 0;  // within the segment

  /// `rows` further on, past empty segments; the cursor of all rows taken is {segments.size(), 0}.
  RowCursor advanced(std::span<const Segment> segments, std::size_t rows) const noexcept;
  friend bool operator==(const RowCursor&, const RowCursor&) = default;
};

/// The next `rows` rows of input `port`, from `from` on, one behind the other to `destination`. Returns the bytes
/// copied.
std::uint64_t pack_rows(std::span<const Segment> segments, RowCursor from, std::size_t rows, std::size_t port,
                        std::size_t row_bytes, std::byte* destination) noexcept;

/// `rows` contiguous rows of `source` to where output `port` of those rows belongs. Returns the bytes copied.
std::uint64_t scatter_rows(std::span<const Segment> segments, RowCursor from, std::size_t rows, std::size_t port,
                           std::size_t row_bytes, const std::byte* source) noexcept;

}  // namespace headrace::gpu
