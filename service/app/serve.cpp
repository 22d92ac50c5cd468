#include "service/app/serve.hpp"

#include <csignal>
#include <cstdio>
#include <utility>

#include "gpu/devices.hpp"
#include "service/app/lifetime.hpp"
#include "service/app/machine.hpp"
#include "service/app/server.hpp"
#include "service/telemetry/log.hpp"

namespace headrace::app {

namespace {

using telemetry::LogLevel;

// Below this a flight of the CPU device runs on the dispatcher's thread: about a millisecond of one core.
constexpr std::uint64_t inline_flops_max = 4'000'000;

int start_failure(const std::string& reason) {
  std::fprintf(stderr, "headrace: %s\n", reason.c_str());
  telemetry::log_stop();
  return exit_failed_to_start;
}

}  // namespace

int serve(const ServeConfig& config) {
  telemetry::log_start(config.log_level, config.log_format);
  block_stop_signals();
  std::signal(SIGPIPE, SIG_IGN);

  auto machine = read_machine();
  auto repository = models::load_repository(config.models);
  if (repository.faults.size() == 1 && repository.faults.front().model.empty()) {
    return start_failure(repository.faults.front().message);
  }
  // The CPU device's threads follow from the I/O threads, and those from whether the device is a GPU: ask for the CPU's
  // first.
  auto budgets = derive_budgets(config, machine);
  if (!budgets) return start_failure(budgets.error());
  auto opened = gpu::open_devices(
      config.device,
      {.cpu_workers = budgets->cpu_workers, .inline_flops_max = inline_flops_max, .flight_limit = config.flight_limit});
  if (!opened) return start_failure(opened.error().message);
  if (!opened->note.empty()) telemetry::log(LogLevel::info, opened->note);
  machine.gpu = opened->devices.front()->info().kind == gpu::DeviceKind::cuda;
  budgets = derive_budgets(config, machine);
  if (!budgets) return start_failure(budgets.error());
  for (const auto& line : budgets->lines()) telemetry::log(LogLevel::info, line);

  auto server = Server::start(config, std::move(opened->devices), repository, *budgets);
  if (!server) return start_failure(server.error());
  std::printf("%s\n", (*server)->ready_line().c_str());
  std::fflush(stdout);

  return run_to_end(std::move(*server), config);
}

}  // namespace headrace::app
