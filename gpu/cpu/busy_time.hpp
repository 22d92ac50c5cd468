#pragma once
// How long at least one of many threads was at work: the union of their intervals. Lock-free, and consistent whenever
// it is read.

#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdint>

namespace headrace::gpu::cpu {

/// In ticks of 64 ns, whose errors even out; counts for nine years, and up to 4095 threads at a time. A thread that is
/// interrupted between its look at the clock and entering may count a moment twice.
template <class Clock>
class BasicBusyTime {
 public:
  void enter() noexcept {
    const std::uint64_t now = shifted_now();
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    assert(count_of(word) < count_mask);
    while (!word_.compare_exchange_weak(word, (count_of(word) == 0 ? word - now : word) + 1)) {}
  }
  void leave() noexcept {
    const std::uint64_t now = shifted_now();
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    assert(count_of(word) > 0);
    while (!word_.compare_exchange_weak(word, (count_of(word) == 1 ? word + now : word) - 1)) {}
  }
  /// Until now, whoever is at work included. Any thread.
  std::chrono::nanoseconds total() const noexcept {
    std::uint64_t word = word_.load();
    if (count_of(word) != 0) word += shifted_now();  // looked at after the word: never before what it began with
    return std::chrono::nanoseconds(static_cast<std::int64_t>(word >> count_bits) * tick_ns);
  }

 private:
  // Low bits: how many are at work. The rest, in ticks and modulo its size: ends minus beginnings of the times in which
  // anybody was. In one word, so that no reader sees the one without the other.
  static constexpr unsigned count_bits = 12;
  static constexpr std::uint64_t count_mask = (1U << count_bits) - 1;
  static constexpr std::int64_t tick_ns = 64;

  static constexpr std::uint64_t count_of(std::uint64_t word) noexcept { return word & count_mask; }
  static std::uint64_t shifted_now() noexcept {
    const std::chrono::nanoseconds now = Clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(now.count() / tick_ns) << count_bits;
  }

  alignas(64) std::atomic<std::uint64_t> word_{0};
};

using BusyTime = BasicBusyTime<std::chrono::steady_clock>;

}  // namespace headrace::gpu::cpu
