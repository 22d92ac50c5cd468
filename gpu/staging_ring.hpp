#pragma once
// The staging ring: a device's slots and the only code that moves their states.
//
//   free → filling → in_flight → done → free          each move asserts the one before
//
// Thread-safe. The ring does not wait and wakes nobody: who holds a slot index owns the slot until it is released, and
// the pipeline keeps the free indices in a channel.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/device.hpp"

namespace headrace::gpu {

enum class SlotState : std::uint8_t { free, filling, in_flight, done };
inline constexpr std::size_t slot_states = 4;

struct RingOptions {
  std::uint32_t slots = 4;             // 3 or more keep both copy engines and the kernels busy
  std::size_t slot_bytes = 4u << 20;   // device memory for one batch's widest rows, twice
  std::uint32_t segments_max = 1024;   // requests in one batch
};

class StagingRing {
  /// Only open() has one: a ring without its slots cannot be made.
  class Key {
    friend class StagingRing;
    Key() = default;
  };

 public:
  /// Opens all slots; every option is at least 1 (asserted). Errors: out_of_memory.
  static Result<std::unique_ptr<StagingRing>> open(Device& device, const RingOptions& options);
  StagingRing(Key, Device& device, const RingOptions& options);
  ~StagingRing();  // every slot must be free, or the device lost
  StagingRing(const StagingRing&) = delete;
  StagingRing& operator=(const StagingRing&) = delete;

  Device& device() const noexcept { return device_; }
  std::uint32_t slots() const noexcept;
  const RingOptions& options() const noexcept { return options_; }

  /// free → filling.
  void acquire(std::uint32_t slot) noexcept;
  /// filling → in_flight, and the batch goes to the device. `observer` is told once, when the state is done; its owner
  /// then calls release(). A second or late notice of the device is counted and dropped: it is known by batch.flight,
  /// so successive flights of one ring carry different numbers (below 2^62). Must have returned before the ring closes.
  void submit(std::uint32_t slot, const Batch& batch, FlightObserver& observer) noexcept;
  /// done → free, or filling → free when nothing was submitted.
  void release(std::uint32_t slot) noexcept;

  /// For a lost device, which may never answer: every flight in the air is told device_lost here, on the calling thread
  /// or, while its submit() still runs, when that returns; so is every later one that the device does not answer at
  /// once. The device's own notice then counts as late. Any number of times, any thread.
  void give_up() noexcept;

  /// How many slots are in each state, by SlotState; a snapshot.
  std::array<std::uint32_t, slot_states> counts() const noexcept;
  std::uint64_t spurious_notices() const noexcept;

 private:
  class Entry;

  Device& device_;
  RingOptions options_;
  std::atomic<bool> given_up_{false};
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace headrace::gpu
