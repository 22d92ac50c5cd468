#pragma once
// The CPU device: what a machine without a GPU serves from. Worker threads at lower priority, one flight on one worker;
// flights too small to be worth a wake-up run on the submitting thread. A flight's rows are computed in tiles that fit
// the cache, in place where the requests' buffers allow it (batch_runner.hpp).

#include "gpu/cpu/busy_time.hpp"
#include "gpu/cpu/worker_pool.hpp"
#include "gpu/device.hpp"
#include "gpu/device_options.hpp"

namespace headrace::gpu::cpu {

class CpuDevice final : public Device {
 public:
  /// options.cpu_workers is at least 1 (asserted). Throws std::system_error when a thread cannot be started.
  explicit CpuDevice(const DeviceOptions& options);
  ~CpuDevice() override;  // after all of its slots

  const DeviceInfo& info() const noexcept override { return info_; }
  Result<HostBlock> allocate_host(std::size_t bytes) override;
  Result<std::unique_ptr<Executable>> compile(std::shared_ptr<const Program> program, std::uint32_t rows_max,
                                              std::size_t slot_bytes) override;
  Result<std::unique_ptr<Slot>> open_slot(std::size_t slot_bytes, std::uint32_t segments_max) override;
  bool lost() const noexcept override { return false; }  // nothing here can break but the whole process
  /// kernel: the time in which any flight was computed, gathering and scattering its tiles included.
  DeviceActivity activity() const noexcept override { return {.h2d = {}, .kernel = busy_.total(), .d2h = {}}; }

 private:
  DeviceInfo info_;
  std::uint64_t inline_flops_max_;
  BusyTime busy_;
  WorkerPool workers_;
};

}  // namespace headrace::gpu::cpu
