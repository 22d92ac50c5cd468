#include "service/pipeline/slots.hpp"

#include <algorithm>
#include <cassert>

namespace headrace::pipeline {

Slots::Slots(std::vector<std::unique_ptr<gpu::StagingRing>> rings) : rings_(std::move(rings)) {
  assert(!rings_.empty());
  for (const auto& ring : rings_) total_ += ring->slots();
  free_ = std::make_shared<Channel<SlotRef>>(total_);
  for (std::uint32_t r = 0; r < rings_.size(); ++r) {
    for (std::uint32_t s = 0; s < rings_[r]->slots(); ++s) {
      SlotRef slot{r, s};
      [[maybe_unused]] const auto pushed = free_->try_push(slot);
      assert(pushed == PushStatus::ok);
    }
  }
}

std::uint32_t Slots::segments_max() const noexcept {
  std::uint32_t smallest = rings_.front()->options().segments_max;
  for (const auto& ring : rings_) smallest = std::min(smallest, ring->options().segments_max);
  return smallest;
}

bool Slots::lost() const noexcept {
  return std::all_of(rings_.begin(), rings_.end(), [](const auto& ring) { return ring->device().lost(); });
}

bool Slots::usable(SlotRef slot) const noexcept { return !ring(slot.ring).device().lost() || lost(); }

void Slots::give_back(SlotRef slot) noexcept {
  const auto free = free_;
  // A lost device takes no more batches while another one lives; when all are lost, its slots still answer with the
  // reason.
  const bool out_of_use = !usable(slot);
  ring(slot.ring).release(slot.slot);
  if (out_of_use) return;
  [[maybe_unused]] const auto pushed = free->try_push(slot);
  assert(pushed != PushStatus::full);
}

}  // namespace headrace::pipeline
