#pragma once
// Answers on their way back to one I/O thread: a lock-free list that any thread posts to, and one wake-up for all that
// gathered before the thread looked.

#include <atomic>
#include <memory>

#include "gpu/device.hpp"
#include "service/pipeline/executor.hpp"
#include "service/telemetry/timeline.hpp"

namespace headrace::pipeline {

class Request;

class Mailbox {
 public:
  /// `executor` belongs to the thread that reads; it must outlive the mailbox's posts.
  explicit Mailbox(Executor executor) : executor_(std::move(executor)) {}
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Any thread. The request is delivered on the reading thread; the first of a burst wakes it.
  void post(std::shared_ptr<Request> request) noexcept;

  /// On the reading thread, which submitted an attended batch to that device: its context is stopped, and whoever runs
  /// it must then look() for the landing until it has seen it, or until then, and run the context again.
  void attend(gpu::Device& device, telemetry::Clock::time_point until) noexcept;
  /// On the reading thread: whether to look() on instead of waiting for work.
  bool attending() const noexcept { return attended_ != nullptr; }
  void look() noexcept;
  /// On the reading thread: the device is left to see to its flights itself.
  void leave() noexcept;

  const Executor& executor() const noexcept { return executor_; }

 private:
  void drain() noexcept;

  Executor executor_;
  gpu::Device* attended_ = nullptr;
  telemetry::Clock::time_point attended_until_;
  alignas(64) std::atomic<Request*> head_{nullptr};  // newest first; a line of its own, which other threads write
};

}  // namespace headrace::pipeline
