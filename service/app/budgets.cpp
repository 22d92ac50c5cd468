#include "service/app/budgets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gpu/device_options.hpp"
#include "proto/limits.hpp"

namespace headrace::app {

namespace {

constexpr std::uint64_t mib = 1u << 20;
constexpr std::uint64_t budget_bytes_default_max = 1024 * mib;
constexpr std::uint64_t budget_bytes_default_min = 256 * mib;
// Measured transport rates grow to about 8 I/O threads on one machine; beyond that loopback itself is the limit.
constexpr std::uint32_t io_threads_default_max = 8;
constexpr std::uint64_t requests_max_default = 65'536;
// Receive buffer, coroutine frames and parser of one idle connection, with the response head's buffer.
constexpr std::uint64_t connection_bytes_about = 12 * 1024;

std::uint32_t default_io_threads(const MachineFacts& machine) {
  // On the CPU device the cores compute; a quarter of them moves bytes. With a GPU they have nothing better to do.
  const std::uint32_t share = machine.gpu ? machine.cores / 2 : machine.cores / 4;
  return std::clamp(share, 1u, io_threads_default_max);
}

std::uint64_t default_budget(const MachineFacts& machine) {
  return std::bit_floor(std::clamp(machine.memory_bytes / 16, budget_bytes_default_min, budget_bytes_default_max));
}

}  // namespace

tl::expected<Budgets, std::string> derive_budgets(const ServeConfig& config, const MachineFacts& machine) {
  Budgets budgets;
  budgets.io_threads = config.io_threads != 0 ? config.io_threads : default_io_threads(machine);
  budgets.cpu_workers = std::max(1u, machine.cores > budgets.io_threads ? machine.cores - budgets.io_threads : 1u);
  budgets.codec_workers = std::clamp(machine.cores / 4, 1u, 4u);
  budgets.request_bytes_max = config.memory_budget != 0 ? config.memory_budget : default_budget(machine);
  budgets.requests_max = requests_max_default;
  budgets.connections_max = config.max_connections;
  budgets.connection_bytes = connection_bytes_about;
  budgets.slots = config.slots;
  budgets.slot_bytes = config.slot_bytes;
  budgets.express = machine.gpu;
  if (machine.gpu) budgets.graphs_max = gpu::DeviceOptions{}.graphs_max;
  budgets.dispatch_on_io_thread = !machine.gpu && budgets.io_threads == 1;

  if (config.max_body == 0) return tl::unexpected(std::string("--max-body: expected at least 1 byte, got 0"));
  if (config.slot_bytes < 4096) {
    return tl::unexpected(fmt::format("--slot-size: expected at least 4096 bytes, got {}", config.slot_bytes));
  }
  constexpr std::uint64_t around_body = proto::body_padding_bytes + proto::body_alignment_bytes;
  // Its class size would not be a number of 64 bits.
  if (config.max_body > std::bit_floor(UINT64_MAX) / 2 - around_body) {
    return tl::unexpected(fmt::format("--max-body: expected at most half of --memory-budget ({} bytes), got {}",
                                      budgets.request_bytes_max, config.max_body));
  }
  budgets.request_bytes_one_max = std::bit_ceil(config.max_body + around_body);
  if (budgets.request_bytes_one_max > budgets.request_bytes_max / 2) {
    return tl::unexpected(fmt::format(
        "--memory-budget: expected at least {} bytes, twice the buffer of the largest body (--max-body {}), got {}",
        2 * budgets.request_bytes_one_max, config.max_body, budgets.request_bytes_max));
  }
  if (machine.memory_bytes != 0 && budgets.request_bytes_max > machine.memory_bytes / 2) {
    return tl::unexpected(fmt::format("--memory-budget: expected at most half of the machine's {} bytes, got {}",
                                      machine.memory_bytes, budgets.request_bytes_max));
  }
  return budgets;
}

std::vector<std::string> Budgets::lines() const {
  std::vector<std::string> lines{
      fmt::format("request buffers: {} MiB in all, at most {} MiB for one body", request_bytes_max / mib,
                  request_bytes_one_max / mib),
      fmt::format("requests in flight: {}", requests_max),
      fmt::format("connections: {} of about {} KiB = {} MiB", connections_max, connection_bytes / 1024,
                  connections_max * connection_bytes / mib),
      fmt::format("slots per device: {} of 2 x {} KiB, {} requests each", slots, slot_bytes / 1024, segments_max),
      fmt::format("threads: {} I/O, {} dispatcher, 1 admin, {} for large JSON", io_threads,
                  dispatch_on_io_thread ? 0 : 1, codec_workers),
  };
  if (graphs_max != 0) lines.push_back(fmt::format("captured graphs per GPU: {} of about 20 KiB", graphs_max));
  return lines;
}

}  // namespace headrace::app
