#pragma once
// A bounded quantity, and the right to a part of it. A permit travels with what it pays for and gives itself back on
// every path: when it is destroyed, reset or assigned over.
//
// Units are the owner's: bytes, requests, rows, connections. Any thread; no lock, nobody waits. The budget must outlive
// its permits (asserted).

#include <atomic>
#include <cassert>
#include <cstdint>
#include <optional>
#include <utility>

namespace headrace::pipeline {

class Permit;

class Budget {
 public:
  explicit Budget(std::uint64_t limit) noexcept : limit_(limit) {}
  ~Budget() { assert(held() == 0); }
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  /// All of `amount` or nothing. An amount above the limit is never granted; 0 always is.
  std::optional<Permit> try_acquire(std::uint64_t amount) noexcept;

  std::uint64_t limit() const noexcept { return limit_; }
  /// What is out now; never more than limit().
  std::uint64_t held() const noexcept { return held_.load(std::memory_order_relaxed); }
  /// The most that was ever out at once.
  std::uint64_t held_max() const noexcept { return held_max_.load(std::memory_order_relaxed); }

 private:
  friend class Permit;

  void give_back(std::uint64_t amount) noexcept {
    [[maybe_unused]] const std::uint64_t before = held_.fetch_sub(amount, std::memory_order_acq_rel);
    assert(before >= amount);
  }
  void note(std::uint64_t held) noexcept {
    std::uint64_t seen = held_max_.load(std::memory_order_relaxed);
    while (seen < held && !held_max_.compare_exchange_weak(seen, held, std::memory_order_relaxed)) {}
  }

  // A line of its own: every request of every thread changes it.
  alignas(64) std::atomic<std::uint64_t> held_{0};
  std::atomic<std::uint64_t> held_max_{0};
  const std::uint64_t limit_;
};

/// Move-only; empty when default-made or moved from.
class Permit {
 public:
  Permit() noexcept = default;
  ~Permit() { reset(); }
  Permit(Permit&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), amount_(std::exchange(other.amount_, 0)) {}
  Permit& operator=(Permit&& other) noexcept {
    if (this != &other) {
      reset();
      budget_ = std::exchange(other.budget_, nullptr);
      amount_ = std::exchange(other.amount_, 0);
    }
    return *this;
  }

  std::uint64_t amount() const noexcept { return amount_; }
  explicit operator bool() const noexcept { return budget_ != nullptr; }

  /// Gives `amount` of it back now; at most what it holds (asserted).
  void shrink(std::uint64_t amount) noexcept {
    assert(amount <= amount_);
    if (budget_ == nullptr || amount == 0) return;
    amount_ -= amount;
    budget_->give_back(amount);
  }
  /// Gives all back; the permit is then empty.
  void reset() noexcept {
    if (budget_ != nullptr) std::exchange(budget_, nullptr)->give_back(std::exchange(amount_, 0));
  }

 private:
  friend class Budget;
  Permit(Budget& budget, std::uint64_t amount) noexcept : budget_(&budget), amount_(amount) {}

  Budget* budget_ = nullptr;
  std::uint64_t amount_ = 0;
};

inline std::optional<Permit> Budget::try_acquire(std::uint64_t amount) noexcept {
  std::uint64_t held = held_.load(std::memory_order_relaxed);
  do {
    if (amount > limit_ - held) return std::nullopt;
  } while (!held_.compare_exchange_weak(held, held + amount, std::memory_order_acq_rel, std::memory_order_relaxed));
  note(held + amount);
  return Permit(*this, amount);
}

}  // namespace headrace::pipeline
