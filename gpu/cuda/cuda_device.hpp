#pragma once
// One CUDA device. Everything it hands out must be gone before it is.

#include <atomic>
#include <memory>
#include <optional>

#include "gpu/cuda/completion.hpp"
#include "gpu/cuda/cuda_executable.hpp"
#include "gpu/cuda/cuda_slot.hpp"
#include "gpu/cuda/nvml.hpp"
#include "gpu/cuda/slot_registry.hpp"
#include "gpu/device.hpp"
#include "gpu/device_options.hpp"

namespace headrace::gpu::cuda {

class CudaDevice final : public Device {
 public:
  static Result<std::unique_ptr<CudaDevice>> open(int ordinal, const DeviceOptions& options);

  const DeviceInfo& info() const noexcept override { return info_; }
  Result<HostBlock> allocate_host(std::size_t bytes) override;
  Result<std::unique_ptr<Executable>> compile(std::shared_ptr<const Program> program, std::uint32_t rows_max,
                                              std::size_t slot_bytes) override;
  Result<std::unique_ptr<Slot>> open_slot(std::size_t slot_bytes, std::uint32_t segments_max) override;
  bool lost() const noexcept override { return health_.lost(); }
  bool look() noexcept override { return completion_.look(); }
  void leave() noexcept override { completion_.leave(); }
  DeviceActivity activity() const noexcept override { return completion_.activity(); }
  /// Nothing once the device is lost: its driver may never answer.
  std::optional<DeviceSensors> sensors() override;

 private:
  CudaDevice(int ordinal, const DeviceOptions& options);

  Result<void> inspect();
  CudaSlot::Shared shared(std::optional<Transfer> transfer) noexcept;
  Result<void> warm_up(const CudaExecutable& executable);
  Result<void> warm_up(const CudaExecutable& executable, Transfer transfer);
  Result<void> capture_graphs(CudaExecutable& executable);

  DeviceOptions options_;
  Health health_;
  DeviceInfo info_;
  std::optional<Nvml> nvml_;
  Completion completion_;
  SlotRegistry registry_;
  std::shared_ptr<std::atomic<std::uint32_t>> graphs_ = std::make_shared<std::atomic<std::uint32_t>>(0);  // in being
};

}  // namespace headrace::gpu::cuda
