#pragma once
// Reproducible numbers for examples and conformance: the same seed gives the same bits on every platform.

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/program.hpp"

namespace headrace::gpu {

/// splitmix64.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) noexcept : state_(seed) {}
  std::uint64_t bits() noexcept;
  /// Uniform in [-1, 1), a multiple of 2^-23.
  float unit() noexcept;

 private:
  std::uint64_t state_;
};

/// An FP32 weight of that shape with values in [-1, 1); owns its memory.
HostTensor generated_weight(std::vector<std::int64_t> shape, Generator& generator);

}  // namespace headrace::gpu
