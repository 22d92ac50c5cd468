#pragma once
// What the pipeline's tests share: threads with an io_context each, how many rounds a race is worth, and small random
// pauses.

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "service/pipeline/executor.hpp"

namespace headrace::test {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

constexpr std::uint32_t rounds(std::uint32_t in_release) { return sanitized ? in_release / 10 : in_release; }

/// How long a race goes on: the rounds that it is worth, or what a busy machine gets done of them in a few seconds.
class Effort {
 public:
  explicit Effort(std::uint32_t in_release) : left_(rounds(in_release)) {}
  /// Counts one round; false when it was enough.
  bool more() {
    if (left_ == 0) return false;
    --left_;
    return left_ % 64 != 0 || std::chrono::steady_clock::now() < until_;
  }

 private:
  std::uint32_t left_;
  std::chrono::steady_clock::time_point until_ = std::chrono::steady_clock::now() + std::chrono::seconds(3);
};

/// Threads that each run an io_context of their own until join(), which waits for all their work to end.
class Threads {
 public:
  explicit Threads(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) contexts_.push_back(std::make_unique<asio::io_context>(1));
  }
  Executor operator[](std::size_t i) { return contexts_[i % contexts_.size()]->get_executor(); }
  /// Starts them, once there is work to do.
  void run() {
    for (auto& context : contexts_) threads_.emplace_back([&context] { context->run(); });
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::vector<std::unique_ptr<asio::io_context>> contexts_;
  std::vector<std::thread> threads_;
};

/// Shifts two racing threads against each other by up to `steps_max` short steps.
class Jitter {
 public:
  explicit Jitter(std::uint32_t seed) : random_(seed) {}
  void pause(std::uint32_t steps_max) {
    for (std::uint32_t left = random_() % (steps_max + 1); left > 0; --left) {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    if (random_() % 64 == 0) std::this_thread::yield();
  }

 private:
  std::minstd_rand random_;
};

}  // namespace headrace::test
