#pragma once
// Answers on their way back to one I/O thread: a lock-free list that any thread posts to, and one wake-up for all that
// gathered before the thread looked.

#include <atomic>
#include <memory>

#include "service/pipeline/executor.hpp"

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

  const Executor& executor() const noexcept { return executor_; }

 private:
  void drain() noexcept;

  Executor executor_;
  std::atomic<Request*> head_{nullptr};  // newest first
};

}  // namespace headrace::pipeline
