#include "service/pipeline/free_slots.hpp"

#include <cassert>

namespace headrace::pipeline {

RingLoad FreeSlots::Ring::load() const noexcept {
  return {.in_use = slots - static_cast<std::uint32_t>(free.size()),
          .work = work.load(std::memory_order_relaxed),
          .last_turn = last_turn};
}

FreeSlots::FreeSlots(const std::vector<std::uint32_t>& slots_by_ring) : rings_(slots_by_ring.size()) {
  for (std::size_t r = 0; r < rings_.size(); ++r) {
    auto& ring = rings_[r];
    ring.slots = slots_by_ring[r];
    for (std::uint32_t slot = ring.slots; slot > 0; --slot) ring.free.push_back(slot - 1);
    size_ += ring.slots;
  }
}

void FreeSlots::push(SlotRef slot) noexcept {
  auto& ring = rings_[slot.ring];
  if (ring.retired) return;
  assert(ring.free.size() < ring.slots);
  ring.free.push_back(slot.slot);  // within the memory of the start
  ++size_;
}

SlotRef FreeSlots::pop() noexcept {
  assert(!empty());
  std::size_t first = rings_.size();
  for (std::size_t r = 0; r < rings_.size(); ++r) {
    if (rings_[r].free.empty()) continue;
    if (first == rings_.size() || ends_sooner(rings_[r].load(), rings_[first].load())) first = r;
  }
  auto& ring = rings_[first];
  const SlotRef slot{static_cast<std::uint32_t>(first), ring.free.back()};
  ring.free.pop_back();
  ring.last_turn = ++turns_;
  --size_;
  return slot;
}

void FreeSlots::retire(std::uint32_t ring) noexcept {
  size_ -= rings_[ring].free.size();
  rings_[ring].free.clear();
  rings_[ring].retired = true;
}

}  // namespace headrace::pipeline
