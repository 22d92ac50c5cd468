#include "service/pipeline/slots.hpp"

#include <algorithm>
#include <cassert>
#include <string>

#include "service/telemetry/log.hpp"

namespace headrace::pipeline {

Slots::Slots(std::vector<std::unique_ptr<gpu::StagingRing>> rings)
    : rings_(std::move(rings)), retired_(rings_.size()), in_use_(rings_.size()) {
  assert(!rings_.empty());
  std::vector<std::uint32_t> slots_by_ring;
  for (const auto& ring : rings_) {
    slots_by_ring.push_back(ring->slots());
    total_ += ring->slots();
  }
  free_ = std::make_shared<Channel<SlotRef, FreeSlots>>(slots_by_ring);
  store_ = free_->with_store([](FreeSlots& store) { return &store; });
}

std::uint32_t Slots::segments_max() const noexcept {
  std::uint32_t smallest = rings_.front()->options().segments_max;
  for (const auto& ring : rings_) smallest = std::min(smallest, ring->options().segments_max);
  return smallest;
}

bool Slots::lost() const noexcept {
  return std::all_of(rings_.begin(), rings_.end(), [](const auto& ring) { return ring->device().lost(); });
}

void Slots::give_back(SlotRef slot) noexcept {
  const auto free = free_;
  ring(slot.ring).release(slot.slot);
  // Closed: no ring is in use, and the store would let it vanish.
  [[maybe_unused]] const auto pushed = free->try_push(slot);
  assert(pushed != PushStatus::full);
}

void Slots::add_work(std::uint32_t ring, std::chrono::nanoseconds work) noexcept {
  store_->work(ring).fetch_add(static_cast<std::uint64_t>(work.count()), std::memory_order_relaxed);
}

void Slots::remove_work(std::uint32_t ring, std::chrono::nanoseconds work) noexcept {
  store_->work(ring).fetch_sub(static_cast<std::uint64_t>(work.count()), std::memory_order_relaxed);
}

void Slots::retire(std::uint32_t ring) noexcept {
  if (retired_[ring].exchange(true)) return;
  free_->with_store([ring](FreeSlots& store) { store.retire(ring); });
  const bool last = in_use_.fetch_sub(1) == 1;
  if (last) free_->close();
  log_loss(ring);
  rings_[ring]->give_up();
}

void Slots::look_for_losses() noexcept {
  for (std::uint32_t r = 0; r < rings_.size(); ++r) {
    if (!retired_[r].load(std::memory_order_relaxed) && rings_[r]->device().lost()) retire(r);
  }
}

void Slots::log_loss(std::uint32_t ring) const noexcept {
  const auto left = in_use_.load();
  telemetry::log(telemetry::LogLevel::error, "device lost",
                 {{"device", rings_[ring]->device().info().label},
                  {"devices_left", std::to_string(left) + " of " + std::to_string(rings_.size())}});
}

}  // namespace headrace::pipeline
