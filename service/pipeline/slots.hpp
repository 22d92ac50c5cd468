#pragma once
// The free slots of all staging rings, as a channel: whoever takes one owns it, and a batch goes to the ring that will
// be free first. A lost device's ring is taken out of use here, once; when the last one goes the channel is closed, so
// that whoever waits for a slot learns that none will come. Any thread.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/staging_ring.hpp"
#include "service/pipeline/channel.hpp"
#include "service/pipeline/free_slots.hpp"

namespace headrace::pipeline {

class Slots {
 public:
  /// Takes the rings; all their slots are free. At least one ring.
  explicit Slots(std::vector<std::unique_ptr<gpu::StagingRing>> rings);

  gpu::StagingRing& ring(std::uint32_t index) const noexcept { return *rings_[index]; }
  std::size_t rings() const noexcept { return rings_.size(); }
  std::size_t total() const noexcept { return total_; }
  /// The smallest bound of all rings.
  std::uint32_t segments_max() const noexcept;
  /// True once every device is lost.
  bool lost() const noexcept;

  /// Free slot indices; closed once every ring is out of use.
  Channel<SlotRef, FreeSlots>& free() noexcept { return *free_; }
  /// False once its device is lost: nothing that is submitted there will be computed.
  bool usable(SlotRef slot) const noexcept { return !ring(slot.ring).device().lost(); }
  /// The slot is done or unused: it may be taken again, unless its ring is out of use. Once the ring counts it as free,
  /// nothing here is touched any more: the owner of all may then go.
  void give_back(SlotRef slot) noexcept;

  /// What the ring's flights are expected to take, for the choice between rings: when one starts, and when it ended.
  void add_work(std::uint32_t ring, std::chrono::nanoseconds work) noexcept;
  void remove_work(std::uint32_t ring, std::chrono::nanoseconds work) noexcept;

  /// The ring's device was lost: its slots are taken out of use, and flights that it still has in the air are given up,
  /// which answers them. The first call does it.
  void retire(std::uint32_t ring) noexcept;
  /// Retires the rings of all devices that are lost by now. A device that says so to a flight needs no look; one that
  /// was lost in silence is found by this only.
  void look_for_losses() noexcept;

 private:
  void log_loss(std::uint32_t ring) const noexcept;

  std::vector<std::unique_ptr<gpu::StagingRing>> rings_;
  std::size_t total_ = 0;
  std::shared_ptr<Channel<SlotRef, FreeSlots>> free_;
  FreeSlots* store_ = nullptr;  // the channel's, for what needs no lock
  std::vector<std::atomic<bool>> retired_;
  std::atomic<std::size_t> in_use_;  // rings
};

}  // namespace headrace::pipeline
