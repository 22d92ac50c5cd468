#include "gpu/cpu/cpu_device.hpp"

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include "gpu/cpu/cpu_executable.hpp"
#include "gpu/cpu/cpu_slot.hpp"
#include "gpu/cpu/host_memory.hpp"
#include "gpu/slot_capacity.hpp"

namespace headrace::gpu::cpu {
namespace {

std::string processor_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

std::uint64_t physical_memory_bytes() noexcept {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  return pages < 0 || page_bytes < 0 ? 0 : static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

/// One row of zeros through every step: code and weights are in memory before the first request.
Result<void> warm_up(const Program& program) {
  const std::size_t row_bytes = program.widest_row_bytes();
  const std::size_t port_bytes = CpuSlot::scratch_bytes(row_bytes);
  auto memory = allocate_pages(port_bytes * 2);
  if (!memory) return tl::unexpected(std::move(memory.error()));
  std::byte* const scratch = memory->data() + port_bytes;
  const std::byte* const input = memory->data();
  std::byte* const output = memory->data() + port_bytes / 2;
  const Segment segment{{&input, 1}, {&output, 1}, 1};
  run_batch(program, {&segment, 1}, Scratch{scratch, scratch + port_bytes / 2, row_bytes});
  return {};
}

}  // namespace

CpuDevice::CpuDevice(const DeviceOptions& options)
    : info_{.kind = DeviceKind::cpu,
            .ordinal = 0,
            .label = "cpu",
            .name = processor_model(),
            .memory_bytes_total = physical_memory_bytes(),
            .has_copy_stages = false},
      inline_flops_max_(options.inline_flops_max),
      workers_(options.cpu_workers) {}

CpuDevice::~CpuDevice() = default;

Result<HostBlock> CpuDevice::allocate_host(std::size_t bytes) { return allocate_pages(bytes); }

Result<std::unique_ptr<Executable>> CpuDevice::compile(std::shared_ptr<const Program> program, std::uint32_t rows_max,
                                                       std::size_t slot_bytes) {
  const auto rows = slot_rows_max(*program, rows_max, slot_bytes);
  if (!rows) return tl::unexpected(rows.error());
  if (auto warm = warm_up(*program); !warm) return tl::unexpected(std::move(warm.error()));
  return std::make_unique<CpuExecutable>(std::move(program), *rows);
}

Result<std::unique_ptr<Slot>> CpuDevice::open_slot(std::size_t slot_bytes, std::uint32_t segments_max) {
  if (slot_bytes > std::numeric_limits<std::size_t>::max() / 4) {
    return fail(ErrorKind::out_of_memory,
                "slot_bytes: expected what fits in memory, got " + std::to_string(slot_bytes));
  }
  auto scratch = allocate_pages(CpuSlot::scratch_bytes(slot_bytes));
  if (!scratch) return tl::unexpected(std::move(scratch.error()));
  const CpuSlotOptions options{
      .slot_bytes = slot_bytes, .segments_max = segments_max, .inline_flops_max = inline_flops_max_};
  return std::make_unique<CpuSlot>(options, std::move(*scratch), workers_, busy_);
}

}  // namespace headrace::gpu::cpu
