#pragma once
// A batch over requests whose tensors stand at chosen addresses, with guard bytes around every answer.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/host_pool.hpp"

namespace headrace::support {

struct TestRequest {
  std::uint32_t rows = 0;
  std::size_t offset = 0;  // of the input from a boundary of gpu::host_alignment_bytes, below it
};

/// Holds all that a flight needs until its notice. Does not move once built.
class TestBatch {
 public:
  /// Takes its buffers from `pool`; throws std::bad_alloc when they do not fit.
  TestBatch(gpu::HostPool& pool, const gpu::Executable& executable, std::span<const TestRequest> requests);
  TestBatch(const TestBatch&) = delete;
  TestBatch& operator=(const TestBatch&) = delete;

  gpu::Batch batch(std::uint64_t flight) const noexcept;
  std::size_t requests() const noexcept { return segments_.size(); }
  std::uint32_t rows(std::size_t request) const noexcept { return segments_[request].rows; }

  std::span<std::byte> input(std::size_t request) noexcept;
  std::span<const std::byte> output(std::size_t request) const noexcept;
  /// FP32 rows, copied: the tensor may stand at any address.
  void set_floats(std::size_t request, std::span<const float> values) noexcept;
  std::vector<float> input_floats(std::size_t request) const;
  std::vector<float> output_floats(std::size_t request) const;

  /// Bytes of every kind, the same for the same seed, over all inputs.
  void fill_bytes(std::uint64_t seed) noexcept;
  /// FP32 values in [-4, 4), the same for the same seed, over all inputs.
  void fill_floats(std::uint64_t seed);

  /// True while no byte next to an answer was written.
  bool guards_are_whole() const noexcept;

 private:
  const gpu::Executable& executable_;
  std::size_t in_row_bytes_;
  std::size_t out_row_bytes_;
  std::vector<gpu::HostBuffer> buffers_;
  std::vector<std::byte*> inputs_;
  std::vector<const std::byte*> segment_inputs_;
  std::vector<std::byte*> segment_outputs_;
  std::vector<gpu::Segment> segments_;
  std::uint32_t rows_ = 0;
};

}  // namespace headrace::support
