#pragma once
// A device's open slots: an executable captures graphs for each of them. Thread-safe.

#include <cstdint>
#include <map>
#include <mutex>

namespace headrace::gpu::cuda {

class CudaSlot;

class SlotRegistry {
 public:
  /// Its number, which no other slot of the device ever had: graphs of one that is gone are never taken for another's.
  std::uint32_t add(CudaSlot& slot) {
    const std::lock_guard lock(mutex_);
    slots_.emplace(next_, &slot);
    return next_++;
  }
  void remove(std::uint32_t number) {
    const std::lock_guard lock(mutex_);
    slots_.erase(number);
  }
  std::uint32_t size() {
    const std::lock_guard lock(mutex_);
    return static_cast<std::uint32_t>(slots_.size());
  }
  /// `visit(slot)` for each, until one returns false. Slots are neither opened nor closed meanwhile.
  template <class Visit>
  void each(const Visit& visit) {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, slot] : slots_) {
      if (!visit(*slot)) return;
    }
  }

 private:
  std::mutex mutex_;
  std::uint32_t next_ = 0;
  std::map<std::uint32_t, CudaSlot*> slots_;
};

}  // namespace headrace::gpu::cuda
