#pragma once
// Which device this is and whether it is still alive; shared by the device, its slots and its completion thread.
// Thread-safe.

#include <atomic>
#include <mutex>
#include <string>

#include "gpu/cuda/owner.hpp"

namespace headrace::gpu::cuda {

class Health {
 public:
  explicit Health(int ordinal) : ordinal_(ordinal), label_("cuda:" + std::to_string(ordinal)) {}

  int ordinal() const noexcept { return ordinal_; }
  const std::string& label() const noexcept { return label_; }
  bool lost() const noexcept { return lost_.load(std::memory_order_acquire); }
  /// The first reason stays.
  void lose(std::string reason) noexcept {
    const std::lock_guard lock(mutex_);
    if (lost_.load(std::memory_order_relaxed)) return;
    reason_ = std::move(reason);
    give_nothing_back.store(true, std::memory_order_release);
    lost_.store(true, std::memory_order_release);
  }

  /// Passes the error on, and remembers a sticky one.
  Error note(Error error) noexcept {
    if (error.kind == ErrorKind::device_lost) lose(error.message);
    return error;
  }
  /// What is answered once the device is lost.
  Error lost_error() const {
    const std::lock_guard lock(mutex_);
    return {ErrorKind::device_lost, label_ + ": the device is lost: " + reason_};
  }

  /// Makes this the calling thread's device; asks the runtime once a thread.
  Result<void> bind_thread() const {
    thread_local int bound = -1;
    if (bound == ordinal_) return {};
    auto set = HEADRACE_CUDA(cudaSetDevice(ordinal_));
    if (set) bound = ordinal_;
    return set;
  }

 private:
  int ordinal_;
  std::string label_;
  mutable std::mutex mutex_;
  std::string reason_;
  std::atomic<bool> lost_ = false;
};

}  // namespace headrace::gpu::cuda
