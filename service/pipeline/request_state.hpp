#pragma once
// Who owns a request, as one atomic word:
//
//   queued → taken     by the batcher: a flight answers it
//          → expired   by the sweep: it is answered with a timeout
//          → left      by its session: the client is gone, nobody answers
//
// Exactly one mover wins; the winner answers and gives the permits back, and sees all that was written before the
// others looked. Any thread.

#include <atomic>
#include <cstdint>

namespace headrace::pipeline {

class RequestState {
 public:
  enum class Owner : std::uint8_t { queued = 0, taken = 1, expired = 2, left = 3 };

  /// Back to queued. Only for who alone holds the request.
  void reset() noexcept { word_.store(0, std::memory_order_relaxed); }

  bool try_take() noexcept { return try_move(Owner::taken); }
  bool try_expire() noexcept { return try_move(Owner::expired); }

  /// True: the request was still queued and is the session's own again. False: another has it, and the departure is
  /// recorded beside the owner (answer_unwanted), so that whoever has it need not write an answer.
  bool try_leave() noexcept {
    if (try_move(Owner::left)) return true;
    word_.fetch_or(unwanted, std::memory_order_acq_rel);
    return false;
  }

  Owner owner() const noexcept { return static_cast<Owner>(word_.load(std::memory_order_acquire) & owner_mask); }
  /// The client left: before the request was taken or after.
  bool answer_unwanted() const noexcept {
    const std::uint8_t word = word_.load(std::memory_order_acquire);
    return (word & unwanted) != 0 || static_cast<Owner>(word & owner_mask) == Owner::left;
  }

 private:
  static constexpr std::uint8_t owner_mask = 0x03;
  static constexpr std::uint8_t unwanted = 0x80;

  bool try_move(Owner to) noexcept {
    std::uint8_t expected = 0;
    return word_.compare_exchange_strong(expected, static_cast<std::uint8_t>(to), std::memory_order_acq_rel,
                                         std::memory_order_acquire);
  }

  std::atomic<std::uint8_t> word_{0};
};

}  // namespace headrace::pipeline
