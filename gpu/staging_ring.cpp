#include "gpu/staging_ring.hpp"

#include <cassert>
#include <utility>

namespace headrace::gpu {
namespace {

// State and flight share one word, so that a late notice of an earlier flight can never be taken for the current one.
constexpr unsigned state_bits = 2;
static_assert(slot_states <= 1u << state_bits);

constexpr std::uint64_t word_of(std::uint64_t flight, SlotState state) noexcept {
  return flight << state_bits | static_cast<std::uint64_t>(state);
}
constexpr std::uint64_t flight_of(std::uint64_t word) noexcept { return word >> state_bits; }
constexpr SlotState state_of(std::uint64_t word) noexcept {
  return static_cast<SlotState>(word & ((1u << state_bits) - 1));
}

}  // namespace

class StagingRing::Entry final : public FlightObserver {
 public:
  Entry(std::unique_ptr<Slot> slot, const std::atomic<bool>& given_up) : given_up_(given_up), slot_(std::move(slot)) {}

  SlotState state() const noexcept { return state_of(word_.load(std::memory_order_acquire)); }
  std::uint64_t spurious_notices() const noexcept { return spurious_.load(std::memory_order_relaxed); }

  void acquire() noexcept { move(SlotState::free, word_of(0, SlotState::filling)); }

  void submit(const Batch& batch, FlightObserver& observer) noexcept {
    observer_ = &observer;
    submitting_.fetch_add(1);
    move(SlotState::filling, word_of(batch.flight, SlotState::in_flight));
    slot_->submit(batch, *this);
    submitting_.fetch_sub(1);
    if (given_up_.load()) give_up();
  }

  // A slot that still reads a batch must not have it taken away. Either this sees that no submit() runs, or the last
  // one that does sees afterwards that the ring was given up: all of these are sequentially consistent.
  void give_up() noexcept {
    const std::uint64_t word = word_.load();
    if (state_of(word) != SlotState::in_flight || submitting_.load() != 0) return;
    FlightResult result;
    result.flight = flight_of(word);
    result.error = Error{ErrorKind::device_lost, "the device was lost and the flight given up"};
    land(result);
  }

  void release() noexcept {
    std::uint64_t word = word_.load(std::memory_order_acquire);
    assert(state_of(word) == SlotState::done || state_of(word) == SlotState::filling);
    [[maybe_unused]] const bool moved = word_.compare_exchange_strong(word, word_of(0, SlotState::free));
    assert(moved && "two owners of one slot");
  }

  void on_flight_done(const FlightResult& result) noexcept override {
    if (!land(result)) spurious_.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  // False when that flight is not in the air. Telling its observer is the last act: its owner may release the slot.
  bool land(const FlightResult& result) noexcept {
    std::uint64_t expected = word_of(result.flight, SlotState::in_flight);
    if (!word_.compare_exchange_strong(expected, word_of(result.flight, SlotState::done))) return false;
    observer_->on_flight_done(result);
    return true;
  }

  void move(SlotState from, std::uint64_t to) noexcept {
    std::uint64_t word = word_.load(std::memory_order_acquire);
    assert(state_of(word) == from);
    static_cast<void>(from);
    [[maybe_unused]] const bool moved = word_.compare_exchange_strong(word, to);
    assert(moved && "two owners of one slot");
  }

  const std::atomic<bool>& given_up_;  // the ring's
  std::atomic<std::uint32_t> submitting_{0};  // two at most: a slot may fly again before the first call has returned
  // Before slot_: no notice comes after the slot's end.
  std::atomic<std::uint64_t> word_{word_of(0, SlotState::free)};
  std::atomic<std::uint64_t> spurious_{0};
  FlightObserver* observer_ = nullptr;  // published by the move to in_flight
  std::unique_ptr<Slot> slot_;
};

StagingRing::StagingRing(Key, Device& device, const RingOptions& options) : device_(device), options_(options) {}

Result<std::unique_ptr<StagingRing>> StagingRing::open(Device& device, const RingOptions& options) {
  assert(options.slots > 0 && options.slot_bytes > 0 && options.segments_max > 0);
  auto ring = std::make_unique<StagingRing>(Key{}, device, options);
  for (std::uint32_t i = 0; i < options.slots; ++i) {
    auto slot = device.open_slot(options.slot_bytes, options.segments_max);
    if (!slot) {
      Error error = std::move(slot.error());
      error.message = "slot " + std::to_string(i + 1) + " of " + std::to_string(options.slots) + ": " + error.message;
      return tl::unexpected(std::move(error));
    }
    ring->entries_.push_back(std::make_unique<Entry>(std::move(*slot), ring->given_up_));
  }
  return ring;
}

StagingRing::~StagingRing() {
  for ([[maybe_unused]] const auto& entry : entries_) {
    assert((entry->state() == SlotState::free || device_.lost()) && "a slot is still held");
  }
}

std::uint32_t StagingRing::slots() const noexcept { return static_cast<std::uint32_t>(entries_.size()); }

void StagingRing::acquire(std::uint32_t slot) noexcept {
  assert(slot < entries_.size());
  entries_[slot]->acquire();
}

void StagingRing::submit(std::uint32_t slot, const Batch& batch, FlightObserver& observer) noexcept {
  assert(slot < entries_.size());
  assert(batch.segments.size() <= options_.segments_max);
  entries_[slot]->submit(batch, observer);
}

void StagingRing::release(std::uint32_t slot) noexcept {
  assert(slot < entries_.size());
  entries_[slot]->release();
}

void StagingRing::give_up() noexcept {
  given_up_.store(true);
  for (const auto& entry : entries_) entry->give_up();
}

std::array<std::uint32_t, slot_states> StagingRing::counts() const noexcept {
  std::array<std::uint32_t, slot_states> counts{};
  for (const auto& entry : entries_) ++counts[static_cast<std::size_t>(entry->state())];
  return counts;
}

std::uint64_t StagingRing::spurious_notices() const noexcept {
  std::uint64_t notices = 0;
  for (const auto& entry : entries_) notices += entry->spurious_notices();
  return notices;
}

}  // namespace headrace::gpu
