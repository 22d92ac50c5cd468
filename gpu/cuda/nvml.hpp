#pragma once
// What NVIDIA's management library (NVML, part of the driver) says of a device. Loaded at run time: a program that uses
// this starts where there is no driver, and finds no figures there. Includes nothing of CUDA.

#include <memory>
#include <optional>
#include <string>

#include "gpu/device.hpp"

namespace headrace::gpu::cuda {

class Nvml {
 public:
  static constexpr const char* library_default = "libnvidia-ml.so.1";

  /// The device at that PCI bus id ("0000:19:00.0", as cudaDeviceGetPCIBusId writes it). `library` is a file as dlopen
  /// takes it; it is loaded and started once for all devices, and shut down with the last of them. Nothing where the
  /// library, what it needs or the device is not there.
  static std::optional<Nvml> open(const std::string& pci_bus_id, const char* library = library_default);

  /// Asks the driver now: some 100 us, any thread. A figure that this driver or device does not have is left out.
  /// Sources: nvmlDeviceGetUtilizationRates, MemoryInfo (used includes what the driver keeps for itself), PowerUsage
  /// (whole board), Temperature (GPU die).
  DeviceSensors read() const;

 private:
  class Library;
  Nvml(std::shared_ptr<const Library> library, void* device) noexcept;

  std::shared_ptr<const Library> library_;
  void* device_;  // the library's handle
};

}  // namespace headrace::gpu::cuda
