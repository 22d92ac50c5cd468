#pragma once
// A slot's control block: what the kernels of one flight read instead of kernel arguments, so that a captured graph
// could be replayed for another batch unchanged. In pinned memory at the same address on host and device:
//
//   ControlHead · ingest tiles · egress tiles
//
// The host writes it before the flight's first launch and not again until the flight has ended.

#include <cstddef>
#include <cstdint>

#include "gpu/cuda/memory.hpp"
#include "gpu/cuda/tile.hpp"

namespace headrace::gpu::cuda {

struct ControlHead {
  std::uint32_t rows;
};

class ControlBlock {
 public:
  ControlBlock() = default;

  static Result<ControlBlock> open(std::size_t tiles_per_direction) {
    auto memory = allocate_pinned(head_bytes + 2 * tiles_per_direction * sizeof(Tile), "control block of a slot");
    if (!memory) return tl::unexpected(std::move(memory.error()));
    ControlBlock block;
    block.memory_ = std::move(*memory);
    block.tiles_per_direction_ = tiles_per_direction;
    return block;
  }

  ControlHead* head() const noexcept { return static_cast<ControlHead*>(memory_.get()); }
  Tile* ingest() const noexcept { return reinterpret_cast<Tile*>(static_cast<std::byte*>(memory_.get()) + head_bytes); }
  Tile* egress() const noexcept { return ingest() + tiles_per_direction_; }

 private:
  static constexpr std::size_t head_bytes = 256;  // tiles start on a line of their own

  PinnedMemory memory_;
  std::size_t tiles_per_direction_ = 0;
};

}  // namespace headrace::gpu::cuda
