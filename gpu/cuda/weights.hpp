#pragma once
// Weights of one executable in device memory.

#include <cstddef>
#include <vector>

#include "gpu/cuda/event.hpp"
#include "gpu/cuda/memory.hpp"
#include "gpu/cuda/stream.hpp"

namespace headrace::gpu::cuda {

class Weights {
 public:
  static Result<Weights> open();

  /// The device's copy, aligned to 256 bytes, valid as long as this object; null for no elements. Kernels may read it
  /// after finish(). `data` must stay until then.
  Result<const float*> upload(const float* data, std::size_t elements);
  /// Waits until every copy has arrived.
  Result<void> finish();

  std::size_t bytes() const noexcept { return bytes_; }

 private:
  Stream stream_;
  Event arrived_;
  std::vector<DeviceMemory> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace headrace::gpu::cuda
