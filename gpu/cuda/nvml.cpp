#include "gpu/cuda/nvml.hpp"

#include <dlfcn.h>

#include <map>
#include <mutex>
#include <utility>

namespace headrace::gpu::cuda {
namespace {

// The few declarations of nvml.h that are used here, as of NVML API version 12.
namespace api {

using Return = int;  // an enumeration
constexpr Return success = 0;
using Device = void*;
constexpr int temperature_gpu = 0;

struct Utilization {
  unsigned int gpu;  // percent of the last sample period with a kernel at work
  unsigned int memory;
};
struct Memory {
  unsigned long long total;  // bytes, as are the others
  unsigned long long free;
  unsigned long long used;
};

using Init = Return();
using Shutdown = Return();
using GetHandleByPciBusId = Return(const char*, Device*);
using GetUtilizationRates = Return(Device, Utilization*);
using GetMemoryInfo = Return(Device, Memory*);
using GetPowerUsage = Return(Device, unsigned int*);        // milliwatts
using GetTemperature = Return(Device, int, unsigned int*);  // degrees Celsius

}  // namespace api

struct Close {
  void operator()(void* library) const noexcept { ::dlclose(library); }
};

/// The value that `function` writes behind its other arguments; nothing where there is no such function or no value.
template <class Value, class Function, class... Arguments>
std::optional<Value> ask(Function* function, Arguments... arguments) noexcept {
  Value value{};
  if (function == nullptr || function(arguments..., &value) != api::success) return std::nullopt;
  return value;
}

}  // namespace

class Nvml::Library {
 public:
  /// The running one, or a fresh one; null where it cannot be loaded or started.
  static std::shared_ptr<const Library> of(const std::string& path) {
    static std::mutex mutex;
    static std::map<std::string, std::weak_ptr<const Library>> running;
    const std::lock_guard lock(mutex);
    auto library = running[path].lock();
    if (!library) {
      auto fresh = std::make_shared<Library>(path);
      if (!fresh->started_) return nullptr;
      library = std::move(fresh);
      running[path] = library;
    }
    return library;
  }

  explicit Library(const std::string& path) : handle_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) return;
    auto* const init = find<api::Init>("nvmlInit_v2");
    shutdown_ = find<api::Shutdown>("nvmlShutdown");
    started_ = init != nullptr && shutdown_ != nullptr && init() == api::success;
    device_at = find<api::GetHandleByPciBusId>("nvmlDeviceGetHandleByPciBusId_v2");
    utilization = find<api::GetUtilizationRates>("nvmlDeviceGetUtilizationRates");
    memory = find<api::GetMemoryInfo>("nvmlDeviceGetMemoryInfo");
    power = find<api::GetPowerUsage>("nvmlDeviceGetPowerUsage");
    temperature = find<api::GetTemperature>("nvmlDeviceGetTemperature");
  }
  ~Library() {
    if (started_) shutdown_();
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // Each null where this library does not have it.
  api::GetHandleByPciBusId* device_at = nullptr;
  api::GetUtilizationRates* utilization = nullptr;
  api::GetMemoryInfo* memory = nullptr;
  api::GetPowerUsage* power = nullptr;
  api::GetTemperature* temperature = nullptr;

 private:
  template <class Function>
  Function* find(const char* name) const noexcept {
    return reinterpret_cast<Function*>(::dlsym(handle_.get(), name));
  }

  std::unique_ptr<void, Close> handle_;
  api::Shutdown* shutdown_ = nullptr;
  bool started_ = false;
};

Nvml::Nvml(std::shared_ptr<const Library> library, void* device) noexcept
    : library_(std::move(library)), device_(device) {}

std::optional<Nvml> Nvml::open(const std::string& pci_bus_id, const char* library) {
  auto running = Library::of(library);
  if (!running) return std::nullopt;
  const auto device = ask<api::Device>(running->device_at, pci_bus_id.c_str());
  if (!device) return std::nullopt;
  return Nvml(std::move(running), *device);
}

DeviceSensors Nvml::read() const {
  DeviceSensors sensors;
  if (const auto rates = ask<api::Utilization>(library_->utilization, device_)) {
    sensors.utilisation = static_cast<double>(rates->gpu) / 100;
  }
  if (const auto memory = ask<api::Memory>(library_->memory, device_)) {
    sensors.memory_used_bytes = memory->used;
    sensors.memory_total_bytes = memory->total;
  }
  if (const auto milliwatts = ask<unsigned int>(library_->power, device_)) {
    sensors.power_watts = static_cast<double>(*milliwatts) / 1000;
  }
  if (const auto degrees = ask<unsigned int>(library_->temperature, device_, api::temperature_gpu)) {
    sensors.temperature_celsius = static_cast<double>(*degrees);
  }
  return sensors;
}

}  // namespace headrace::gpu::cuda
