#pragma once
// Owns one handle of the CUDA runtime. Move-only; empty after a move; destroyed through the door for destructors.

#include <utility>

#include "gpu/cuda/check.hpp"

namespace headrace::gpu::cuda {

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
    if (handle_ != nullptr) disregard(destroy(handle_));
  }

  Handle get() const noexcept { return handle_; }
  /// Leaves it empty; the handle is the caller's.
  Handle release() noexcept { return std::exchange(handle_, nullptr); }

 private:
  Handle handle_ = nullptr;
};

}  // namespace headrace::gpu::cuda
