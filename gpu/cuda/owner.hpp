#pragma once
// Owns one handle of the CUDA runtime. Move-only; empty after a move; destroyed through the door for destructors.

#include <atomic>
#include <utility>

#include "gpu/cuda/check.hpp"

namespace headrace::gpu::cuda {

/// Set once a device of this process is lost. From then on nothing is given back: to free what a kernel uses that never
/// ends would wait for it, and memory that a dead device may still write to is not to be anybody else's. The process is
/// about to end.
inline std::atomic<bool> give_nothing_back = false;

template <class Handle, cudaError_t (*destroy)(Handle)>
class Owner {
 public:
  Owner() = default;
  explicit Owner(Handle handle) noexcept : handle_(handle) {}
  Owner(Owner&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owner& operator=(Owner&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owner() {
    if (handle_ != nullptr && !give_nothing_back.load(std::memory_order_acquire)) disregard(destroy(handle_));
  }

  Handle get() const noexcept { return handle_; }
  /// Leaves it empty; the handle is the caller's.
  Handle release() noexcept { return std::exchange(handle_, nullptr); }

 private:
  Handle handle_ = nullptr;
};

}  // namespace headrace::gpu::cuda
