#include "gpu/host_pool.hpp"

#include <atomic>
#include <bit>
#include <cassert>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "gpu/block_shelves.hpp"
#include "gpu/buddy_map.hpp"

namespace headrace::gpu {
namespace {

std::size_t order_of(std::size_t class_bytes) noexcept {
  return static_cast<std::size_t>(std::countr_zero(class_bytes / HostPool::class_bytes_min));
}

}  // namespace

HostBuffer::HostBuffer(HostBuffer&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)),
      data_(std::exchange(other.data_, nullptr)),
      capacity_(std::exchange(other.capacity_, 0)) {}

HostBuffer& HostBuffer::operator=(HostBuffer&& other) noexcept {
  HostBuffer taken(std::move(other));
  std::swap(pool_, taken.pool_);
  std::swap(data_, taken.data_);
  std::swap(capacity_, taken.capacity_);
  return *this;
}

HostBuffer::~HostBuffer() { reset(); }

void HostBuffer::reset() noexcept {
  if (data_ == nullptr) return;
  std::exchange(pool_, nullptr)->give(std::exchange(data_, nullptr), std::exchange(capacity_, 0));
}

void HostBuffer::abandon() noexcept {
  if (data_ == nullptr) return;
  data_ = nullptr;
  std::exchange(pool_, nullptr)->set_aside(std::exchange(capacity_, 0));
}

struct HostPool::Impl {
  explicit Impl(HostBlock arena)
      : block(std::move(arena)), map(block.bytes() / class_bytes_min), shelves(map.units()) {}

  std::optional<std::size_t> take(std::size_t order) noexcept {
    if (const auto unit = shelves.take(order)) return unit;
    const std::lock_guard lock(mutex);
    if (const auto unit = map.take(order)) return unit;
    // What is on shelves may be what is missing, or merge into it.
    shelves.clear([this](std::size_t on, std::size_t unit) { map.give(unit, on); });
    return map.take(order);
  }
  void give(std::size_t order, std::size_t unit) noexcept {
    if (shelves.put(order, unit)) return;
    const std::lock_guard lock(mutex);
    map.give(unit, order);
  }

  HostBlock block;
  std::mutex mutex;
  BuddyMap map;  // guarded by mutex
  BlockShelves shelves;
  std::atomic<std::size_t> held{0};
  std::atomic<std::size_t> abandoned{0};
};

HostPool::HostPool(HostBlock block) : impl_(std::make_unique<Impl>(std::move(block))) {
  assert(reinterpret_cast<std::uintptr_t>(impl_->block.data()) % host_alignment_bytes == 0);
}

HostPool::~HostPool() {
  assert(bytes_held() == bytes_abandoned() && "a buffer outlives its pool");
  if (bytes_held() > 0) impl_->block.abandon();
}

HostBuffer HostPool::take(std::size_t bytes) noexcept {
  const std::size_t charged = class_bytes(bytes);
  HostBuffer buffer;
  if (charged > class_bytes_max()) return buffer;
  const auto unit = impl_->take(order_of(charged));
  if (!unit) return buffer;
  impl_->held.fetch_add(charged, std::memory_order_relaxed);
  buffer.pool_ = this;
  buffer.data_ = impl_->block.data() + *unit * class_bytes_min;
  buffer.capacity_ = charged;
  return buffer;
}

void HostPool::give(std::byte* data, std::size_t capacity) noexcept {
  const auto offset = static_cast<std::size_t>(data - impl_->block.data());
  assert(offset % class_bytes_min == 0 && offset + capacity <= bytes_total());
  // Before the block is free again: the sum may lag behind a take, it never exceeds what there is.
  impl_->held.fetch_sub(capacity, std::memory_order_relaxed);
  impl_->give(order_of(capacity), offset / class_bytes_min);
}

void HostPool::set_aside(std::size_t capacity) noexcept {
  impl_->abandoned.fetch_add(capacity, std::memory_order_relaxed);
}

std::size_t HostPool::class_bytes(std::size_t bytes) noexcept {
  constexpr std::size_t largest = std::size_t{1} << (std::numeric_limits<std::size_t>::digits - 1);
  if (bytes <= class_bytes_min) return class_bytes_min;
  if (bytes > largest) return std::numeric_limits<std::size_t>::max();
  return std::bit_ceil(bytes);
}

std::size_t HostPool::bytes_held() const noexcept { return impl_->held.load(std::memory_order_relaxed); }
std::size_t HostPool::bytes_abandoned() const noexcept { return impl_->abandoned.load(std::memory_order_relaxed); }
std::size_t HostPool::bytes_total() const noexcept { return impl_->map.units() * class_bytes_min; }

std::size_t HostPool::class_bytes_max() const noexcept {
  const std::size_t orders = impl_->map.orders();
  return orders == 0 ? 0 : class_bytes_min << (orders - 1);
}

}  // namespace headrace::gpu
