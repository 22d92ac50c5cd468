#include "gpu/devices.hpp"

#include <numeric>
#include <string>
#include <utility>

#include "gpu/cpu/cpu_device.hpp"
#include "gpu/device_selection.hpp"
#ifdef HEADRACE_WITH_CUDA
#include "gpu/cuda/cuda_devices.hpp"
#endif

namespace headrace::gpu {
namespace {

#ifdef HEADRACE_WITH_CUDA
int cuda_count(std::string& why_none) noexcept { return cuda_device_count(why_none); }
Result<std::unique_ptr<Device>> open_cuda(int ordinal, const DeviceOptions& options) {
  return open_cuda_device(ordinal, options);
}
#else
int cuda_count(std::string& why_none) {
  why_none = "this build has no CUDA device";
  return 0;
}
Result<std::unique_ptr<Device>> open_cuda(int /*ordinal*/, const DeviceOptions& /*options*/) {
  return fail(ErrorKind::unavailable, "this build has no CUDA device");
}
#endif

Result<OpenedDevices> open_cpu(const DeviceOptions& options, std::string note) {
  OpenedDevices opened;
  opened.devices.push_back(std::make_unique<cpu::CpuDevice>(options));
  opened.note = std::move(note);
  return opened;
}

Result<OpenedDevices> open_cuda_all(std::vector<int> ordinals, const DeviceOptions& options) {
  std::string why_none;
  const int count = cuda_count(why_none);
  if (count == 0) return fail(ErrorKind::unavailable, "device: asked for cuda, but " + why_none);
  if (ordinals.empty()) {
    ordinals.resize(static_cast<std::size_t>(count));
    std::iota(ordinals.begin(), ordinals.end(), 0);
  }
  OpenedDevices opened;
  for (const int ordinal : ordinals) {
    const std::string label = "cuda:" + std::to_string(ordinal);
    if (ordinal >= count) {
      return fail(ErrorKind::unavailable, "device: asked for " + label + ", but there are " + std::to_string(count) +
                                              " CUDA devices, numbered from 0");
    }
    auto device = open_cuda(ordinal, options);
    if (!device) return fail(device.error().kind, label + ": " + device.error().message);
    opened.devices.push_back(std::move(*device));
  }
  return opened;
}

}  // namespace

Result<OpenedDevices> open_devices(std::string_view selection, const DeviceOptions& options) {
  auto selected = parse_device_selection(selection);
  if (!selected) return tl::unexpected(std::move(selected.error()));
  switch (selected->kind) {
    case DeviceSelection::Kind::cpu: return open_cpu(options, {});
    case DeviceSelection::Kind::cuda: return open_cuda_all(std::move(selected->ordinals), options);
    case DeviceSelection::Kind::automatic: break;
  }
  std::string why_none;
  if (cuda_count(why_none) == 0) return open_cpu(options, "the CPU device was chosen: " + why_none);
  auto opened = open_cuda_all({}, options);
  if (!opened) return open_cpu(options, "the CPU device was chosen: " + opened.error().message);
  return opened;
}

}  // namespace headrace::gpu
