#pragma once
// The free slots of all staging rings, as a channel: whoever takes one owns it, and a batch goes to the ring that is
// free first. Any thread.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/staging_ring.hpp"
#include "service/pipeline/channel.hpp"

namespace headrace::pipeline {

struct SlotRef {
  std::uint32_t ring = 0;
  std::uint32_t slot = 0;
};

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

  /// Free slot indices; closed at shutdown.
  Channel<SlotRef>& free() noexcept { return *free_; }
  /// False for a slot of a lost device while another one lives: whoever took it drops it.
  bool usable(SlotRef slot) const noexcept;
  /// The slot is done or unused: it may be taken again, unless its device is lost. Once the ring counts it as free,
  /// nothing here is touched any more: the owner of all may then go.
  void give_back(SlotRef slot) noexcept;

 private:
  std::vector<std::unique_ptr<gpu::StagingRing>> rings_;
  std::size_t total_ = 0;
  std::shared_ptr<Channel<SlotRef>> free_;
};

}  // namespace headrace::pipeline
