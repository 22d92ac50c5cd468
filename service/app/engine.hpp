#pragma once
// Everything below HTTP, put together: devices, their host memory, rings, models, and the coroutines that feed them.

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/host_pool.hpp"
#include "service/app/budgets.hpp"
#include "service/app/context_thread.hpp"
#include "service/app/device_gauges.hpp"
#include "service/models/repository.hpp"
#include "service/pipeline/batcher.hpp"
#include "service/pipeline/express.hpp"
#include "service/pipeline/front_door.hpp"
#include "service/pipeline/slots.hpp"
#include "service/telemetry/metrics.hpp"

namespace headrace::app {

class Engine {
 public:
  /// Takes the devices. Compiles and warms every model of `repository`; one that fails becomes a fault and the others
  /// serve. Errors: memory that cannot be had, in one line.
  static tl::expected<std::unique_ptr<Engine>, std::string> start(std::vector<std::unique_ptr<gpu::Device>> devices,
                                                                  const models::Repository& repository,
                                                                  const Budgets& budgets, telemetry::Metrics& metrics);
  /// Every request must have been answered, and release_batchers() called where an executor was given.
  ~Engine();

  /// Starts serving: on `dispatcher`, whose context must outlive release_batchers(), or on a thread of its own when
  /// there is none. `express`: a request that gains nothing by waiting does without it. Once.
  void start_batchers(std::optional<Executor> dispatcher, bool express);
  /// Before the dispatcher's context goes. The thread that ran it must have ended, unless it is the engine's own.
  void release_batchers() noexcept;

  pipeline::FrontDoor& door() noexcept { return *door_; }
  /// One thread at a time; it may wait for a device's driver.
  telemetry::GaugeSnapshot gauges();
  /// Finds devices that were lost without telling a flight, and answers what they had. Any thread.
  void look_after_devices() noexcept { slots_->look_for_losses(); }
  bool any_device_lost() const noexcept;
  /// After door().close(): every queue is empty and every slot home.
  bool landed() const;

 private:
  Engine() = default;
  void add_model(const models::Model& model, const Budgets& budgets, telemetry::Metrics& metrics);

  // In the order of construction: each uses what stands above it.
  std::vector<std::unique_ptr<gpu::Device>> devices_;
  std::unique_ptr<gpu::HostPool> pool_;
  std::unique_ptr<pipeline::Slots> slots_;
  std::vector<DeviceGauges> device_gauges_;  // by ring
  std::unique_ptr<pipeline::FrontDoor> door_;
  pipeline::Flights flights_;
  std::atomic<std::uint64_t> flight_numbers_{0};
  std::optional<pipeline::Express> express_;
  std::unique_ptr<ContextThread> dispatcher_;
  std::vector<std::unique_ptr<pipeline::Batcher>> batchers_;
};

}  // namespace headrace::app
