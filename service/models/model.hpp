#pragma once
// A model as its folder defines it: model.yaml and weights → a program with typed inputs and outputs.

#include <cstdint>
#include <memory>
#include <string>

#include "gpu/program.hpp"

namespace headrace::models {

/// `batching:` in model.yaml; every key is optional.
struct BatchingOptions {
  std::uint32_t max_batch_size =
      4096;   // rows, from 1; the effective value is the smaller of this and what a slot holds
  std::uint64_t max_queue_delay_us = 0;  // hold a small batch back on purpose; 0: never
  std::uint32_t max_queue_size = 8192;   // requests, from 1; 429 beyond
  std::uint64_t timeout_us = 0;          // a request waits at most this long; 0: without limit
};
inline constexpr std::uint32_t max_batch_size_max = 1U << 20U;
inline constexpr std::uint64_t max_queue_delay_us_max = 60'000'000;    // a minute
inline constexpr std::uint32_t max_queue_size_max = 1U << 20U;
inline constexpr std::uint64_t timeout_us_max = 3'600'000'000;         // an hour

struct Model {
  std::string name;           // the folder's
  std::string version = "1";  // digits
  std::shared_ptr<const gpu::Program> program;
  BatchingOptions batching;
};

}  // namespace headrace::models
