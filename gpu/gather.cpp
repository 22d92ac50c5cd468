#include "gpu/gather.hpp"

#include <algorithm>
#include <cassert>

#include "gpu/host_copy.hpp"

namespace headrace::gpu {
namespace {

/// Calls visit(segment, first row, rows) for each piece of `rows` rows from `at` on; returns the place behind them.
template <class Visit>
RowCursor walk(std::span<const Segment> segments, RowCursor at, std::size_t rows, Visit&& visit) noexcept {
  while (at.segment < segments.size()) {
    const Segment& segment = segments[at.segment];
    const auto piece = static_cast<std::uint32_t>(std::min<std::size_t>(rows, segment.rows - at.row));
    if (piece > 0) visit(segment, at.row, piece);
    rows -= piece;
    at.row += piece;
    if (at.row < segment.rows) break;
    at = {at.segment + 1, 0};
  }
  assert(rows == 0);
  return at;
}

}  // namespace

RowCursor RowCursor::advanced(std::span<const Segment> segments, std::size_t rows) const noexcept {
  return walk(segments, *this, rows, [](const Segment&, std::uint32_t, std::uint32_t) {});
}

std::uint64_t pack_rows(std::span<const Segment> segments, RowCursor from, std::size_t rows, std::size_t port,
                        std::size_t row_bytes, std::byte* destination) noexcept {
  std::uint64_t copied = 0;
  walk(segments, from, rows, [&](const Segment& segment, std::uint32_t row, std::uint32_t count) {
    copy_counted({segment.inputs[port] + row * row_bytes, count * row_bytes}, destination, copied);
    destination += count * row_bytes;
  });
  return copied;
}

std::uint64_t scatter_rows(std::span<const Segment> segments, RowCursor from, std::size_t rows, std::size_t port,
                           std::size_t row_bytes, const std::byte* source) noexcept {
  std::uint64_t copied = 0;
  walk(segments, from, rows, [&](const Segment& segment, std::uint32_t row, std::uint32_t count) {
    copy_counted({source, count * row_bytes}, segment.outputs[port] + row * row_bytes, copied);
    source += count * row_bytes;
  });
  return copied;
}

}  // namespace headrace::gpu
