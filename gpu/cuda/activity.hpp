#pragma once
// How long each engine was at work: the union of the flights' stages on the device's clock. Flights are told in the
// order in which they land; a stage that began before what was counted last and ended before it too was counted with it
// or is left out, so the sum is never too large.

#include <atomic>
#include <cstdint>

#include "gpu/device.hpp"

namespace headrace::gpu::cuda {

class Activity {
 public:
  /// One thread at a time.
  class Engine {
   public:
    void add(std::uint64_t began, std::uint64_t ended) noexcept {
      const std::uint64_t from = began > counted_until_ ? began : counted_until_;
      if (ended <= from) return;
      counted_until_ = ended;
      busy_.store(busy_.load(std::memory_order_relaxed) + (ended - from), std::memory_order_relaxed);
    }
    /// Any thread.
    std::chrono::nanoseconds busy() const noexcept {
      return std::chrono::nanoseconds(busy_.load(std::memory_order_relaxed));
    }

   private:
    std::uint64_t counted_until_ = 0;
    std::atomic<std::uint64_t> busy_{0};
  };

  Engine h2d;
  Engine kernel;
  Engine d2h;

  DeviceActivity read() const noexcept { return {h2d.busy(), kernel.busy(), d2h.busy()}; }
};

}  // namespace headrace::gpu::cuda
