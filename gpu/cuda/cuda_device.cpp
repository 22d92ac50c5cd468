#include "gpu/cuda/cuda_device.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "gpu/cuda/cuda_devices.hpp"
#include "gpu/cuda/transfer.hpp"
#include "gpu/slot_capacity.hpp"

namespace headrace::gpu::cuda {
namespace {

constexpr std::uint32_t warm_up_rows_max = 3;

void free_host(void*, std::byte* data, std::size_t) noexcept { const PinnedMemory last_owner(data); }

class Arrival final : public FlightObserver {
 public:
  void on_flight_done(const FlightResult& result) noexcept override {
    const std::lock_guard lock(mutex_);  // held while notifying: the waiter destroys this
    error_ = result.error;
    arrived_ = true;
    changed_.notify_one();
  }
  std::optional<Error> wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return arrived_; });
    return error_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool arrived_ = false;
  std::optional<Error> error_;
};

}  // namespace

CudaDevice::CudaDevice(int ordinal, const DeviceOptions& options)
    : options_(options), health_(ordinal), completion_(health_, options.flight_limit) {}

Result<std::unique_ptr<CudaDevice>> CudaDevice::open(int ordinal, const DeviceOptions& options) {
  std::string why_none;
  const int count = cuda_device_count(why_none);
  if (count == 0) return fail(ErrorKind::unavailable, why_none);
  if (ordinal < 0 || ordinal >= count) {
    return fail(ErrorKind::unavailable,
                "expected an ordinal below " + std::to_string(count) + ", got " + std::to_string(ordinal));
  }
  std::unique_ptr<CudaDevice> device(new CudaDevice(ordinal, options));
  if (auto inspected = device->inspect(); !inspected) return tl::unexpected(std::move(inspected.error()));
  return device;
}

Result<void> CudaDevice::inspect() {
  if (auto bound = health_.bind_thread(); !bound) return bound;
  cudaDeviceProp properties{};
  auto asked = HEADRACE_CUDA(cudaGetDeviceProperties(&properties, health_.ordinal()));
  if (!asked) return asked;
  const std::string capability = std::to_string(properties.major) + "." + std::to_string(properties.minor);
  if (properties.canMapHostMemory == 0 || properties.unifiedAddressing == 0) {
    return fail(ErrorKind::unavailable, std::string(properties.name) +
                                            ": expected a device that reads host memory at the host's own addresses");
  }
  if (auto image = HEADRACE_CUDA(load_transfer_kernels()); !image) {
    return fail(image.error().kind, std::string(properties.name) + ": expected kernels for compute capability " +
                                        capability + " in this build, got none: " + image.error().message);
  }
  info_ = DeviceInfo{DeviceKind::cuda, health_.ordinal(),         health_.label(),
                     properties.name,  properties.totalGlobalMem, true};
  char bus_id[32] = {};
  if (HEADRACE_CUDA(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, health_.ordinal()))) nvml_ = Nvml::open(bus_id);
  return {};
}

std::optional<DeviceSensors> CudaDevice::sensors() {
  if (!nvml_ || health_.lost()) return std::nullopt;
  return nvml_->read();
}

Result<HostBlock> CudaDevice::allocate_host(std::size_t bytes) {
  if (auto bound = health_.bind_thread(); !bound) return tl::unexpected(std::move(bound.error()));
  if (bytes == 0) return HostBlock{};
  auto pinned = allocate_pinned(bytes, "page-locked host memory");
  if (!pinned) return tl::unexpected(health_.note(std::move(pinned.error())));
  return HostBlock(static_cast<std::byte*>(pinned->release()), bytes, free_host, nullptr);
}

Result<std::unique_ptr<Executable>> CudaDevice::compile(std::shared_ptr<const Program> program, std::uint32_t rows_max,
                                                        std::size_t slot_bytes) {
  if (health_.lost()) return tl::unexpected(health_.lost_error());
  if (auto bound = health_.bind_thread(); !bound) return tl::unexpected(std::move(bound.error()));
  auto rows = slot_rows_max(*program, rows_max, slot_bytes);
  if (!rows) return tl::unexpected(std::move(rows.error()));
  auto executable = CudaExecutable::make(std::move(program), *rows);
  if (!executable) return tl::unexpected(health_.note(std::move(executable.error())));
  if (auto warm = warm_up(**executable); !warm) return tl::unexpected(health_.note(std::move(warm.error())));
  if (auto made = capture_graphs(**executable); !made) return tl::unexpected(health_.note(std::move(made.error())));
  return std::unique_ptr<Executable>(std::move(*executable));
}

CudaSlot::Shared CudaDevice::shared(std::optional<Transfer> transfer) noexcept {
  return {.health = health_, .completion = completion_, .registry = registry_, .transfer = transfer};
}

// The runtime loads a kernel when it is first launched, which takes milliseconds and is not allowed while a graph is
// captured: here it happens before the model is ready.
Result<void> CudaDevice::warm_up(const CudaExecutable& executable) {
  if (auto warm = warm_up(executable, Transfer::in_place); !warm) return warm;
  return warm_up(executable, Transfer::copy_engines);
}

Result<void> CudaDevice::warm_up(const CudaExecutable& executable, Transfer transfer) {
  const std::uint32_t rows = std::min(executable.rows_max(), warm_up_rows_max);
  const std::size_t in_bytes = rows * executable.program().inputs().front().type.row_bytes();
  const std::size_t out_bytes = rows * executable.program().outputs().front().type.row_bytes();
  auto slot = CudaSlot::open(shared(transfer), {rows * executable.widest_row_bytes(), 1});
  if (!slot) return tl::unexpected(std::move(slot.error()));
  auto in = allocate_host(in_bytes);
  if (!in) return tl::unexpected(std::move(in.error()));
  auto out = allocate_host(out_bytes);
  if (!out) return tl::unexpected(std::move(out.error()));
  std::memset(in->data(), 0, in_bytes);

  const std::byte* const input = in->data();
  std::byte* const output = out->data();
  const Segment segment{{&input, 1}, {&output, 1}, rows};
  Arrival arrival;
  (*slot)->submit(Batch{0, &executable, {&segment, 1}, rows}, arrival);
  if (auto error = arrival.wait()) return tl::unexpected(std::move(*error));
  return {};
}

Result<void> CudaDevice::capture_graphs(CudaExecutable& executable) {
  auto stream = open_stream();
  if (!stream) return tl::unexpected(std::move(stream.error()));
  const std::uint32_t wanted = executable.graphs_per_slot() * registry_.size();
  if (!executable.reserve_graphs(graphs_, wanted, options_.graphs_max)) return {};
  Result<void> result;
  registry_.each([&](const CudaSlot& slot) {
    result = executable.capture_for(slot.number(), slot.memory(), slot.limits().segments_max, stream->get());
    return result.has_value();
  });
  if (result || result.error().kind != ErrorKind::out_of_memory) return result;
  executable.drop_graphs();  // it is slower without them, and right
  return {};
}

Result<std::unique_ptr<Slot>> CudaDevice::open_slot(std::size_t slot_bytes, std::uint32_t segments_max) {
  if (health_.lost()) return tl::unexpected(health_.lost_error());
  if (auto bound = health_.bind_thread(); !bound) return tl::unexpected(std::move(bound.error()));
  auto slot = CudaSlot::open(shared(options_.transfer), {slot_bytes, segments_max});
  if (!slot) return tl::unexpected(health_.note(std::move(slot.error())));
  return std::unique_ptr<Slot>(std::move(*slot));
}

}  // namespace headrace::gpu::cuda

namespace headrace::gpu {

int cuda_device_count(std::string& why_none) noexcept {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaSuccess && count > 0) return count;
  cuda::disregard(code);
  if (code == cudaErrorInsufficientDriver) {
    why_none = "no CUDA driver, or one older than this build needs";
  } else if (code == cudaSuccess || code == cudaErrorNoDevice) {
    why_none = "no CUDA device";
  } else {
    why_none = std::string("CUDA: ") + cudaGetErrorName(code) + " (" + cudaGetErrorString(code) + ")";
  }
  return 0;
}

Result<std::unique_ptr<Device>> open_cuda_device(int ordinal, const DeviceOptions& options) {
  auto device = cuda::CudaDevice::open(ordinal, options);
  if (!device) return tl::unexpected(std::move(device.error()));
  return std::unique_ptr<Device>(std::move(*device));
}

}  // namespace headrace::gpu
