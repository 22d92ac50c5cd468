#pragma once
// The free slots of several rings, and which of them comes next: one of the ring that will be free first. The store of
// the channel of free slots. Pure, not thread-safe but for the work of rings; its memory is taken at construction.
//
// Of two rings the one with fewer slots in use comes first; of those that are even, the one with less work in its
// flights; then the one whose turn is longer ago.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace headrace::pipeline {

struct SlotRef {
  std::uint32_t ring = 0;
  std::uint32_t slot = 0;
};

/// How busy a ring is.
struct RingLoad {
  std::uint32_t in_use = 0;    // slots
  std::uint64_t work = 0;      // nanoseconds, as its flights are expected to take together
  std::uint64_t last_turn = 0; // when it was chosen last, counted in choices
};

/// Whether a batch goes rather to `a` than to `b`.
constexpr bool ends_sooner(const RingLoad& a, const RingLoad& b) noexcept {
  if (a.in_use != b.in_use) return a.in_use < b.in_use;
  if (a.work != b.work) return a.work < b.work;
  return a.last_turn < b.last_turn;
}

class FreeSlots {
 public:
  /// Slots by ring; all are free.
  explicit FreeSlots(const std::vector<std::uint32_t>& slots_by_ring);

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  bool has_room(SlotRef) const noexcept { return true; }
  /// A slot that pop() gave. Of a ring that was taken out of use, it vanishes.
  void push(SlotRef slot) noexcept;
  /// Of the ring that comes first, the slot that was used last. There must be one (asserted).
  SlotRef pop() noexcept;

  /// Takes the ring out of use: its free slots vanish, and those that come back later.
  void retire(std::uint32_t ring) noexcept;

  /// What the ring's flights are expected to take; any thread. Add when one starts, subtract the same when it ended.
  std::atomic<std::uint64_t>& work(std::uint32_t ring) noexcept { return rings_[ring].work; }

 private:
  struct Ring {
    std::vector<std::uint32_t> free;  // the last comes first
    std::uint32_t slots = 0;
    std::uint64_t last_turn = 0;
    bool retired = false;
    std::atomic<std::uint64_t> work{0};

    RingLoad load() const noexcept;
  };

  std::vector<Ring> rings_;
  std::size_t size_ = 0;
  std::uint64_t turns_ = 0;
};

}  // namespace headrace::pipeline
