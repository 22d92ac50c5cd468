#include "service/app/engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "service/app/model_description.hpp"
#include "service/telemetry/log.hpp"

namespace headrace::app {

namespace {

/// One ring per device. Errors as text.
tl::expected<std::vector<std::unique_ptr<gpu::StagingRing>>, std::string> open_rings(
    const std::vector<std::unique_ptr<gpu::Device>>& devices, const Budgets& budgets) {
  std::vector<std::unique_ptr<gpu::StagingRing>> rings;
  for (const auto& device : devices) {
    auto ring = gpu::StagingRing::open(*device, {.slots = budgets.slots,
                                                 .slot_bytes = static_cast<std::size_t>(budgets.slot_bytes),
                                                 .segments_max = budgets.segments_max});
    if (!ring) return tl::unexpected(fmt::format("device {}: {}", device->info().label, ring.error().message));
    rings.push_back(std::move(*ring));
  }
  return rings;
}

}  // namespace

tl::expected<std::unique_ptr<Engine>, std::string> Engine::start(std::vector<std::unique_ptr<gpu::Device>> devices,
                                                                 const models::Repository& repository,
                                                                 const Budgets& budgets, telemetry::Metrics& metrics) {
  std::unique_ptr<Engine> engine(new Engine());
  engine->devices_ = std::move(devices);
  // One arena for all devices: on CUDA it is page-locked and mapped for every one of them (portable), and belongs to
  // the first one's context. What is assumed of a sticky error there: it ends that device's work in this process and no
  // other device's, and neither unmaps nor unlocks host memory while the context exists. So a dead device's context is
  // kept: nobody resets it or gives its memory back while others serve, and a process that lost one leaves by _exit.
  auto block = engine->devices_.front()->allocate_host(static_cast<std::size_t>(budgets.request_bytes_max));
  if (!block) return tl::unexpected("request buffers: " + block.error().message);
  engine->pool_ = std::make_unique<gpu::HostPool>(std::move(*block));
  auto rings = open_rings(engine->devices_, budgets);
  if (!rings) return tl::unexpected(std::move(rings.error()));
  engine->slots_ = std::make_unique<pipeline::Slots>(std::move(*rings));
  for (std::uint32_t r = 0; r < engine->slots_->rings(); ++r) {
    engine->device_gauges_.emplace_back(engine->slots_->ring(r));
  }
  engine->door_ = std::make_unique<pipeline::FrontDoor>(
      *engine->pool_, *engine->slots_, metrics,
      pipeline::FrontDoorLimits{.request_bytes_max = budgets.request_bytes_max, .requests_max = budgets.requests_max});
  for (const auto& fault : repository.faults) {
    telemetry::log(telemetry::LogLevel::error, "model not loaded", {{"model", fault.model}, {"reason", fault.message}});
    engine->door_->add_fault(fault.model, fault.message);
  }
  for (const auto& model : repository.models) engine->add_model(model, budgets, metrics);
  engine->look_after_devices();
  return engine;
}

Engine::~Engine() { release_batchers(); }

void Engine::release_batchers() noexcept {
  if (dispatcher_) dispatcher_->stop();  // a coroutine that waits for a timer must not wake into a batcher that is gone
  batchers_.clear();
}

void Engine::add_model(const models::Model& model, const Budgets& budgets, telemetry::Metrics& metrics) {
  std::vector<std::unique_ptr<gpu::Executable>> executables;
  std::uint32_t rows_max = model.batching.max_batch_size;
  for (const auto& device : devices_) {
    if (device->lost() && !slots_->lost()) {  // an earlier model's doing: the others serve on
      executables.push_back(nullptr);
      continue;
    }
    auto executable = device->compile(model.program, rows_max, static_cast<std::size_t>(budgets.slot_bytes));
    if (!executable) {
      telemetry::log(telemetry::LogLevel::error, "model not loaded",
                     {{"model", model.name}, {"device", device->info().label}, {"reason", executable.error().message}});
      door_->add_fault(model.name, executable.error().message);
      return;
    }
    rows_max = std::min(rows_max, (*executable)->rows_max());
    executables.push_back(std::move(*executable));
  }
  auto description = describe(model, rows_max, *devices_.front(), devices_.size(), budgets.slots);
  auto served = std::make_shared<pipeline::ServedModel>(
      std::move(description), pipeline::BatchLimits{.rows_max = rows_max, .segments_max = slots_->segments_max()},
      pipeline::BacklogOptions{.requests_max = model.batching.max_queue_size, .request_rows_max = rows_max},
      metrics.model(model.name));
  served->executables = std::move(executables);
  telemetry::log(telemetry::LogLevel::info, "model ready",
                 {{"model", model.name}, {"version", model.version}, {"max_batch_size", std::to_string(rows_max)}});
  door_->add(std::move(served));
}

void Engine::start_batchers(std::optional<Executor> dispatcher, bool express) {
  flights_.resize(slots_->rings());
  for (std::uint32_t r = 0; r < slots_->rings(); ++r) {
    for (std::uint32_t s = 0; s < slots_->ring(r).slots(); ++s) {
      flights_[r].push_back(std::make_unique<pipeline::Flight>(*slots_, pipeline::SlotRef{r, s}, door_->metrics()));
    }
  }
  if (!dispatcher) dispatcher_ = std::make_unique<ContextThread>();
  const Executor executor = dispatcher ? *dispatcher : dispatcher_->context.get_executor();
  for (const auto& [name, model] : door_->models()) {
    batchers_.push_back(std::make_unique<pipeline::Batcher>(executor, model, *slots_, flights_, flight_numbers_));
    batchers_.back()->start();
  }
  if (express) door_->use_express(express_.emplace(*slots_, flights_, flight_numbers_));
  if (dispatcher_) dispatcher_->start("hr-dispatch");
}

telemetry::GaugeSnapshot Engine::gauges() {
  telemetry::GaugeSnapshot snapshot;
  for (const auto& [name, model] : door_->models()) {
    snapshot.queues.push_back({.model = name,
                               .depth = static_cast<double>(model->queue.size()),
                               .capacity = static_cast<double>(model->queue_capacity)});
  }
  for (std::uint32_t r = 0; r < slots_->rings(); ++r) {
    const auto& ring = slots_->ring(r);
    const auto counts = ring.counts();
    const auto in = [&counts](gpu::SlotState state) {
      return static_cast<double>(counts[static_cast<std::size_t>(state)]);
    };
    snapshot.slots.push_back({.device = ring.device().info().label,
                              .free = in(gpu::SlotState::free),
                              .filling = in(gpu::SlotState::filling),
                              .in_flight = in(gpu::SlotState::in_flight),
                              .done = in(gpu::SlotState::done)});
  }
  const auto now = DeviceGauges::Clock::now();
  for (auto& device : device_gauges_) snapshot.devices.push_back(device.read(now));
  snapshot.inflight_requests = static_cast<double>(door_->requests_in_flight());
  snapshot.bytes_held = static_cast<double>(door_->bytes_held());
  snapshot.bytes_budget = static_cast<double>(door_->bytes_limit());
  return snapshot;
}

bool Engine::any_device_lost() const noexcept {
  return std::any_of(devices_.begin(), devices_.end(), [](const auto& device) { return device->lost(); });
}

bool Engine::landed() const {
  const bool drained = std::all_of(batchers_.begin(), batchers_.end(), [](const auto& b) { return b->drained(); });
  if (!drained) return false;
  std::uint32_t home = 0;
  for (std::uint32_t r = 0; r < slots_->rings(); ++r) {
    home += slots_->ring(r).counts()[static_cast<std::size_t>(gpu::SlotState::free)];
  }
  return home == slots_->total();
}

}  // namespace headrace::app
