#pragma once
// What the kernels of one flight read and write instead of kernel arguments, so that a captured graph is replayed for
// another batch unchanged. In pinned memory, at the same address on host and device:
//
//   ControlHead · FlightRecord · ingest tiles · egress tiles
//
// The host writes head and tiles before the flight's launch and not again until the flight has landed; the device
// writes the record.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "gpu/cuda/memory.hpp"
#include "gpu/cuda/tile.hpp"

namespace headrace::gpu::cuda {

struct ControlHead {
  std::uint32_t rows;
  std::uint32_t sequence;  // of the slot's flights, never 0
  std::uint32_t ingest_tiles;
  std::uint32_t egress_tiles;
};

/// The device's own clock (globaltimer, ns; 32 ns steps on an H200) when a stage began or ended.
struct FlightTimes {
  std::uint64_t began;
  std::uint64_t arrived;  // rows are in device memory
  std::uint64_t stepped;  // the last step has ended
  std::uint64_t ended;    // answers are in host memory
};

/// Written at once by the last kernel: each store into a line that the host polls takes the line from it.
struct FlightRecord {
  FlightTimes times;
  std::uint32_t landed;  // the flight's sequence, written last
};

/// In device memory, where the flight's later kernels read it without crossing the bus.
struct DeviceControl {
  std::uint32_t rows;
  std::uint32_t sequence;
  std::uint32_t blocks_done;  // of the ingest kernel; 0 between flights
  FlightTimes times;
};

/// Everything of a slot that its kernels touch; passed to them by value.
struct SlotMemory {
  const ControlHead* head;
  FlightRecord* record;
  const Tile* ingest;
  const Tile* egress;
  std::uint32_t tiles_max;  // in each table
  DeviceControl* device;
  std::byte* ping;
  std::byte* pong;
};

class ControlBlock {
 public:
  ControlBlock() = default;

  static Result<ControlBlock> open(std::size_t tiles_per_direction) {
    auto memory = allocate_pinned(tiles_at + 2 * tiles_per_direction * sizeof(Tile), "control block of a slot");
    if (!memory) return tl::unexpected(std::move(memory.error()));
    ControlBlock block;
    block.memory_ = std::move(*memory);
    block.tiles_per_direction_ = tiles_per_direction;
    std::memset(block.memory_.get(), 0, tiles_at);
    return block;
  }

  ControlHead* head() const noexcept { return reinterpret_cast<ControlHead*>(bytes()); }
  FlightRecord* record() const noexcept { return reinterpret_cast<FlightRecord*>(bytes() + record_at); }
  Tile* ingest() const noexcept { return reinterpret_cast<Tile*>(bytes() + tiles_at); }
  Tile* egress() const noexcept { return ingest() + tiles_per_direction_; }
  std::size_t tiles_per_direction() const noexcept { return tiles_per_direction_; }

 private:
  // Each part on lines of its own: the host polls the record while the device reads the rest.
  static constexpr std::size_t record_at = 256;
  static constexpr std::size_t tiles_at = 512;

  std::byte* bytes() const noexcept { return static_cast<std::byte*>(memory_.get()); }

  PinnedMemory memory_;
  std::size_t tiles_per_direction_ = 0;
};

/// True once the device has said so; then all that the flight wrote may be read.
inline bool has_landed(FlightRecord& record, std::uint32_t sequence) noexcept {
  return std::atomic_ref(record.landed).load(std::memory_order_acquire) == sequence;
}

}  // namespace headrace::gpu::cuda
