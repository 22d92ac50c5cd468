#pragma once
// Everything that can hold memory, with its number: derived here, in one place, printed at start, refused when it
// cannot hold. Pure.

#include <cstddef>
#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "service/app/config.hpp"

namespace headrace::app {

struct MachineFacts {
  std::uint32_t cores = 1;
  std::uint64_t memory_bytes = 0;
  bool gpu = false;  // the device is a GPU
};

struct Budgets {
  std::uint32_t io_threads = 1;
  std::uint32_t cpu_workers = 1;         // threads of the CPU device
  std::uint32_t codec_workers = 1;       // threads that parse and write large JSON
  std::uint64_t request_bytes_max = 0;   // all request buffers; taken at start as one arena
  std::uint64_t request_bytes_one_max = 0;  // the largest body's buffer
  std::uint64_t requests_max = 0;        // in flight, all models
  std::uint32_t connections_max = 0;
  std::uint64_t connection_bytes = 0;    // what one idle connection holds, about
  std::uint32_t slots = 1;               // per device
  std::uint64_t slot_bytes = 0;
  std::uint32_t segments_max = 1024;     // requests in one batch
  std::uint32_t graphs_max = 0;          // captured launches, per GPU
  /// Batches are submitted by the one I/O thread itself: no thread is woken for a small batch of the CPU device. A
  /// GPU's launches may block, and several I/O threads must not wait for the one that computes: then a thread of its
  /// own does it.
  bool dispatch_on_io_thread = false;
  /// A request that finds the service idle, or is large, is submitted by its own I/O thread: with a GPU, because to
  /// launch takes that thread 2 µs, and to wake another one 14.
  bool express = false;

  /// One line a holder, for the log.
  std::vector<std::string> lines() const;
};

/// Errors: one line that names the option, what was expected and what came.
tl::expected<Budgets, std::string> derive_budgets(const ServeConfig& config, const MachineFacts& machine);

}  // namespace headrace::app
