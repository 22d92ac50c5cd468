#pragma once
// Runs a batch through a program on the calling thread, tile by tile. Knows no threads and no slots, allocates nothing.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/device.hpp"
#include "gpu/program.hpp"

namespace headrace::gpu::cpu {

/// Two buffers of `bytes` each, aligned to 64; one row of the program's widest must fit in each. Only the first
/// tile_bytes of each (or one row, where that is more) are ever touched.
struct Scratch {
  std::byte* first = nullptr;
  std::byte* second = nullptr;
  std::size_t bytes = 0;
};

struct RunReport {
  std::chrono::nanoseconds pack{0};  // gathering rows into tiles
  std::chrono::nanoseconds kernel{0};  // the steps
  std::uint64_t copied_bytes = 0;  // by gather and scatter
};

/// Where a tile lies within one segment and is aligned to 64 bytes, the first step reads the request's buffer in place
/// and the last one writes the response buffer in place; other tiles are gathered and scattered. The inputs are never
/// written.
RunReport run_batch(const Program& program, std::span<const Segment> segments, const Scratch& scratch) noexcept;

}  // namespace headrace::gpu::cpu
