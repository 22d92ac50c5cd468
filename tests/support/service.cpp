#include "tests/support/service.hpp"

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "gpu/devices.hpp"
#include "tests/support/http_client.hpp"

namespace headrace::support {

namespace {

std::vector<std::unique_ptr<PuppetDevice>> alone(std::unique_ptr<PuppetDevice> device) {
  std::vector<std::unique_ptr<PuppetDevice>> devices;
  devices.push_back(std::move(device));
  return devices;
}

}  // namespace

std::unique_ptr<app::Server> start_server(std::vector<std::unique_ptr<gpu::Device>> devices,
                                          const models::Repository& repository, const ServiceOptions& options) {
  app::ServeConfig config;
  config.http = "127.0.0.1:0";
  config.admin = "127.0.0.1:0";
  config.io_threads = options.io_threads;
  config.slots = options.slots;
  config.memory_budget = options.memory_budget;
  config.max_body = options.max_body;
  auto budgets = app::derive_budgets(config, {.cores = 2, .memory_bytes = 0, .gpu = false});
  if (!budgets) throw std::runtime_error(budgets.error());
  budgets->express = options.express;
  auto server = app::Server::start(config, std::move(devices), repository, *budgets);
  if (!server) throw std::runtime_error(server.error());
  return std::move(*server);
}

Service::Service(std::unique_ptr<PuppetDevice> device, const models::Repository& repository,
                 const ServiceOptions& options)
    : Service(alone(std::move(device)), repository, options) {}

Service::Service(std::vector<std::unique_ptr<PuppetDevice>> puppets, const models::Repository& repository,
                 const ServiceOptions& options) {
  std::vector<std::unique_ptr<gpu::Device>> devices;
  for (auto& puppet : puppets) {
    puppets_.push_back(puppet.get());
    devices.push_back(std::move(puppet));
  }
  server_ = start_server(std::move(devices), repository, options);
}

Service::Service(const std::string& models, const ServiceOptions& options) {
  auto opened = gpu::open_devices(options.device, {.cpu_workers = 2, .inline_flops_max = 0});
  if (!opened) throw std::runtime_error(opened.error().message);
  server_ = start_server(std::move(opened->devices), models::load_repository(models), options);
}

Service::~Service() {
  server_->stop_being_ready();
  server_->close_data_plane();
  server_->close_idle_connections();
  server_->close_queues();
  // Flights that are still in the air end by themselves from here on; those of a lost device were given up, and what
  // they read is about to go.
  for (auto* const puppet : puppets_) puppet->set_auto_complete(!puppet->lost());
  while (!server_->engine().landed()) {
    server_->look_after_devices();
    std::this_thread::yield();
  }
}

double Service::metric(const std::string& sample) const {
  HttpClient client(admin_address());
  const auto text = "\n" + client.get("/metrics").body;
  const auto at = text.find("\n" + sample + " ");
  return at == std::string::npos ? -1 : std::stod(text.substr(at + sample.size() + 2));
}

bool Service::wait_for_metric(const std::string& sample, double value) const {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < until) {
    if (metric(sample) == value) return true;
    std::this_thread::yield();
  }
  return false;
}

std::string shipped_models() {
  const char* const elsewhere = std::getenv("HEADRACE_TEST_MODELS");
  return elsewhere != nullptr ? elsewhere : HEADRACE_SOURCE_DIR "/deploy/models";
}

models::Repository affine_repository(const std::string& name, std::int64_t columns,
                                     const models::BatchingOptions& batching) {
  gpu::ProgramSpec spec;
  spec.inputs.push_back({"x", {gpu::ElementType::f32, {columns}}});
  spec.steps.push_back({"affine", {{"scale", 2.0}, {"shift", 1.0}}});
  spec.output_names.emplace_back("y");
  auto program = gpu::Program::build(std::move(spec));
  if (!program) throw std::runtime_error(program.error().message);
  models::Repository repository;
  repository.models.push_back({.name = name, .version = "1", .program = *program, .batching = batching});
  return repository;
}

}  // namespace headrace::support
