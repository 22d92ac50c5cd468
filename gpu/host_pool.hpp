#pragma once
// Request and response buffers: one arena of device-readable host memory, taken at start, handed out in power-of-two
// size classes by a buddy system and accounted by class size. Empty means: the caller waits or refuses. Never allocates
// after construction. Thread-safe.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpu/device.hpp"

namespace headrace::gpu {

class HostPool;

/// A block of the pool, aligned to host_alignment_bytes; gives itself back on destruction. Move-only.
class HostBuffer {
 public:
  HostBuffer() = default;
  HostBuffer(HostBuffer&& other) noexcept;
  HostBuffer& operator=(HostBuffer&& other) noexcept;
  ~HostBuffer();

  explicit operator bool() const noexcept { return data_ != nullptr; }
  std::byte* data() const noexcept { return data_; }
  std::size_t capacity() const noexcept { return capacity_; }  // the class size, not what was asked
  void reset() noexcept;
  /// Keeps the block out of the pool for good: a dead device may still write to it.
  void abandon() noexcept;

 private:
  friend class HostPool;
  HostPool* pool_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t capacity_ = 0;
};

class HostPool {
 public:
  static constexpr std::size_t class_bytes_min = 256;

  /// `block` is cut into the largest power-of-two pieces that fit.
  explicit HostPool(HostBlock block);
  /// Every buffer must be back or abandoned. With an abandoned one the arena itself is set aside, not given back: the
  /// dead device may still write to it.
  ~HostPool();
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;

  /// An empty buffer when no block of that class is free.
  HostBuffer take(std::size_t bytes) noexcept;
  /// The class size that `bytes` would be charged: the next power of two, at least class_bytes_min; the largest size_t
  /// where there is none.
  static std::size_t class_bytes(std::size_t bytes) noexcept;

  std::size_t bytes_held() const noexcept;  // out, by class size; abandoned blocks stay in this sum
  std::size_t bytes_abandoned() const noexcept;  // a part of bytes_held()
  std::size_t bytes_total() const noexcept;  // what can be handed out at all
  std::size_t class_bytes_max() const noexcept;  // the largest take that can ever succeed; 0 for an empty arena

 private:
  friend class HostBuffer;
  struct Impl;
  void give(std::byte* data, std::size_t capacity) noexcept;
  void set_aside(std::size_t capacity) noexcept;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headrace::gpu
