#include "gpu/cpu/cpu_slot.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "gpu/cpu/cpu_executable.hpp"
#include "gpu/cpu/tile_plan.hpp"

namespace headrace::gpu::cpu {
namespace {

std::size_t aligned_bytes(std::size_t bytes) noexcept {
  return (bytes + host_alignment_bytes - 1) / host_alignment_bytes * host_alignment_bytes;
}

}  // namespace

std::size_t CpuSlot::scratch_bytes(std::size_t slot_bytes) noexcept { return 2 * aligned_bytes(slot_bytes); }

CpuSlot::CpuSlot(const CpuSlotOptions& options, HostBlock scratch, WorkerPool& workers, BusyTime& busy) noexcept
    : options_(options),
      memory_(std::move(scratch)),
      scratch_{memory_.data(), memory_.data() + aligned_bytes(options.slot_bytes), options.slot_bytes},
      workers_(workers),
      busy_(busy) {
  assert(memory_.bytes() >= scratch_bytes(options.slot_bytes));
  // The pages that most programs use are there before the first flight.
  const std::size_t touched = std::min(tile_bytes, options.slot_bytes);
  std::memset(scratch_.first, 0, touched);
  std::memset(scratch_.second, 0, touched);
}

CpuSlot::~CpuSlot() { assert(!in_flight_.load(std::memory_order_acquire) && "a slot is closed under its flight"); }

void CpuSlot::submit(const Batch& batch, FlightObserver& observer) noexcept {
  assert(batch.segments.size() <= options_.segments_max && batch.rows <= batch.executable->rows_max());
  [[maybe_unused]] const bool was_in_flight = in_flight_.exchange(true, std::memory_order_acq_rel);
  assert(!was_in_flight && "two flights on one slot");
  submitted_ = std::chrono::steady_clock::now();
  batch_ = batch;
  observer_ = &observer;
  const auto& executable = static_cast<const CpuExecutable&>(*batch.executable);
  if (batch.rows * executable.row_flops() < options_.inline_flops_max) {
    run();
  } else {
    workers_.submit(*this);
  }
}

void CpuSlot::run() noexcept {
  FlightResult result;
  result.flight = batch_.flight;
  result.times.pack = std::chrono::steady_clock::now() - submitted_;
  busy_.enter();
  const RunReport report = run_batch(batch_.executable->program(), batch_.segments, scratch_);
  busy_.leave();
  result.times.pack += report.pack;
  result.times.kernel = report.kernel;
  result.host_copied_bytes = report.copied_bytes;
  FlightObserver& observer = *observer_;
  in_flight_.store(false, std::memory_order_release);
  observer.on_flight_done(result);  // the last act: the next flight may be on its way already
}

}  // namespace headrace::gpu::cpu
