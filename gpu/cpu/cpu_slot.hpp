#pragma once
// Room for one flight on the CPU device: its scratch memory, and its place in the workers' queue.

#include <atomic>
#include <chrono>
#include <cstdint>

#include "gpu/cpu/batch_runner.hpp"
#include "gpu/cpu/busy_time.hpp"
#include "gpu/cpu/worker_pool.hpp"
#include "gpu/device.hpp"

namespace headrace::gpu::cpu {

struct CpuSlotOptions {
  std::size_t slot_bytes;         // of each of the two scratch buffers
  std::uint32_t segments_max;     // requests in one batch
  std::uint64_t inline_flops_max; // below: the flight runs on the submitting thread
};

class CpuSlot final : public Slot, private Job {
 public:
  /// Bytes of scratch that a slot of that size needs.
  static std::size_t scratch_bytes(std::size_t slot_bytes) noexcept;

  /// `scratch` has scratch_bytes(); `workers` and `busy`, which is kept, outlive the slot.
  CpuSlot(const CpuSlotOptions& options, HostBlock scratch, WorkerPool& workers, BusyTime& busy) noexcept;
  ~CpuSlot();  // no flight in the air

  void submit(const Batch& batch, FlightObserver& observer) noexcept override;

 private:
  void run() noexcept override;

  CpuSlotOptions options_;
  HostBlock memory_;
  Scratch scratch_;
  WorkerPool& workers_;
  BusyTime& busy_;
  Batch batch_;
  FlightObserver* observer_ = nullptr;
  std::chrono::steady_clock::time_point submitted_{};
  std::atomic<bool> in_flight_{false};
};

}  // namespace headrace::gpu::cpu
