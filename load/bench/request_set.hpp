#pragma once
// The requests of one batch, each with buffers of its own, and the batch over them: all that a flight needs until its
// notice.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/host_pool.hpp"

namespace headrace::bench {

/// So many requests of so many rows each.
struct BatchShape {
  std::uint32_t requests = 1;
  std::uint32_t rows = 1;

  std::uint32_t rows_in_all() const noexcept { return requests * rows; }
};

/// What a set of that shape takes from a pool. Each request's buffer is twice its rows and at least 8 KiB, so that
/// requests stand as far apart as they do in peers' raw_ingest.
std::size_t pool_bytes(const gpu::Program& program, BatchShape shape) noexcept;

class RequestSet {
 public:
  /// Throws std::bad_alloc when the pool does not hold them.
  RequestSet(gpu::HostPool& pool, const gpu::Executable& executable, BatchShape shape);
  RequestSet(RequestSet&&) = default;

  gpu::Batch batch(std::uint64_t flight) const noexcept;
  std::uint32_t rows() const noexcept { return shape_.rows_in_all(); }
  /// Bytes of all requests' inputs.
  std::size_t input_bytes() const noexcept;
  /// Throws std::runtime_error when the first or the last row's answer is not what float64 says, within 1e-3.
  void check_answers() const;

 private:
  const gpu::Executable* executable_;
  BatchShape shape_;
  std::vector<gpu::HostBuffer> buffers_;
  std::vector<const std::byte*> inputs_;
  std::vector<std::byte*> outputs_;
  std::vector<gpu::Segment> segments_;
};

}  // namespace headrace::bench
