#pragma once
// A device opened for measuring, with host memory for its requests. What cannot be had is thrown: there is nothing to
// measure without it.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/host_pool.hpp"
#include "gpu/staging_ring.hpp"
#include "load/bench/programs.hpp"
#include "load/bench/request_set.hpp"

namespace headrace::bench {

/// "automatic" for none.
std::string way_text(std::optional<gpu::Transfer> transfer);

/// Every device of `selection`. Throws std::runtime_error.
std::vector<std::unique_ptr<gpu::Device>> open_all(std::string_view selection, std::optional<gpu::Transfer> transfer);

class Rig {
 public:
  /// The first device of `selection`; `arena_bytes` are rounded up to a power of two. Throws std::runtime_error.
  Rig(std::string_view selection, std::optional<gpu::Transfer> transfer, std::size_t arena_bytes);
  Rig(std::unique_ptr<gpu::Device> device, std::size_t arena_bytes);

  gpu::Device& device() const noexcept { return *device_; }
  gpu::HostPool& pool() const noexcept { return *pool_; }

 private:
  std::unique_ptr<gpu::Device> device_;
  std::unique_ptr<gpu::HostPool> pool_;
};

/// One program in one ring, with a batch of that shape for every slot.
class Stand {
 public:
  /// Throws std::runtime_error.
  Stand(const Rig& rig, ProgramPtr program, BatchShape shape, std::uint32_t slots);

  gpu::StagingRing& ring() const noexcept { return *ring_; }
  const RequestSet& first() const noexcept { return sets_.front(); }
  std::span<const RequestSet> sets() const noexcept { return sets_; }

 private:
  std::unique_ptr<gpu::StagingRing> ring_;
  std::unique_ptr<gpu::Executable> executable_;
  std::vector<RequestSet> sets_;
};

}  // namespace headrace::bench
