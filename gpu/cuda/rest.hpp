#pragma once
// How the landing thread rests: not at all, for a while, or until it is woken. Knows nothing of CUDA.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace headrace::gpu::cuda {

class Rest {
 public:
  using Clock = std::chrono::steady_clock;

  /// There is something to look at from that time on: ends a wait, and a nap that would last longer. Any thread. Who
  /// changes what `done` of a rest reads, and then calls this, is never missed: sequentially consistent on both sides.
  void wake(Clock::time_point from = Clock::time_point::min()) noexcept {
    const State state = state_.load();
    if (state == State::awake) return;
    if (state == State::napping && from.time_since_epoch().count() >= until_.load()) return;
    {
      const std::lock_guard lock(mutex_);
      woken_ = true;
    }
    changed_.notify_one();
  }

  /// The resting thread's: until that time, or a wake(), or done().
  template <class Done>
  void nap(Clock::time_point until, const Done& done) noexcept {
    std::unique_lock lock(mutex_);
    until_.store(until.time_since_epoch().count());
    state_.store(State::napping);
    changed_.wait_until(lock, until, [&] { return woken_ || done(); });
    rise();
  }
  /// The resting thread's: until a wake(), or done().
  template <class Done>
  void wait(const Done& done) noexcept {
    std::unique_lock lock(mutex_);
    state_.store(State::waiting);
    changed_.wait(lock, [&] { return woken_ || done(); });
    rise();
  }

 private:
  enum class State : std::uint8_t { awake, napping, waiting };

  void rise() noexcept {
    state_.store(State::awake);
    woken_ = false;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;  // under mutex_
  std::atomic<State> state_{State::awake};
  std::atomic<Clock::rep> until_{0};  // of a nap
};

}  // namespace headrace::gpu::cuda
