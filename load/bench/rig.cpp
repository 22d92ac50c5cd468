#include "load/bench/rig.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <thread>
#include <utility>

#include "gpu/devices.hpp"

namespace headrace::bench {
namespace {

template <class T>
T value_or_throw(gpu::Result<T> result, const char* what) {
  if (!result) throw std::runtime_error(std::string(what) + ": " + result.error().message);
  return std::move(*result);
}

gpu::DeviceOptions device_options(std::optional<gpu::Transfer> transfer) {
  gpu::DeviceOptions options;
  options.cpu_workers = std::max(2U, std::thread::hardware_concurrency()) - 1;  // one core measures
  options.transfer = transfer;
  return options;
}

}  // namespace

std::string way_text(std::optional<gpu::Transfer> transfer) {
  if (!transfer) return "automatic";
  return *transfer == gpu::Transfer::in_place ? "in_place" : "copy_engines";
}

std::vector<std::unique_ptr<gpu::Device>> open_all(std::string_view selection, std::optional<gpu::Transfer> transfer) {
  return value_or_throw(gpu::open_devices(selection, device_options(transfer)), "opening the device").devices;
}

Rig::Rig(std::string_view selection, std::optional<gpu::Transfer> transfer, std::size_t arena_bytes)
    : Rig(std::move(open_all(selection, transfer).front()), arena_bytes) {}

Rig::Rig(std::unique_ptr<gpu::Device> device, std::size_t arena_bytes)
    : device_(std::move(device)),
      pool_(std::make_unique<gpu::HostPool>(
          value_or_throw(device_->allocate_host(std::bit_ceil(arena_bytes)), "host memory"))) {}

Stand::Stand(const Rig& rig, ProgramPtr program, BatchShape shape, std::uint32_t slots) {
  constexpr std::size_t least = 64 * 1024;  // a slot of a few bytes is nobody's
  const std::size_t slot_bytes = std::max(least, shape.rows_in_all() * program->widest_row_bytes());
  ring_ = value_or_throw(
      gpu::StagingRing::open(rig.device(), {.slots = slots, .slot_bytes = slot_bytes, .segments_max = shape.requests}),
      "opening the ring");
  executable_ = value_or_throw(rig.device().compile(std::move(program), shape.rows_in_all(), slot_bytes), "compiling");
  for (std::uint32_t slot = 0; slot < slots; ++slot) sets_.emplace_back(rig.pool(), *executable_, shape);
}

}  // namespace headrace::bench
