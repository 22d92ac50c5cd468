#include "service/app/serve.hpp"

#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <ctime>

#include "gpu/devices.hpp"
#include "service/app/machine.hpp"
#include "service/app/server.hpp"
#include "service/telemetry/log.hpp"

namespace headrace::app {

namespace {

using std::chrono::milliseconds;
using telemetry::LogLevel;
using Clock = std::chrono::steady_clock;

// Below this a flight of the CPU device runs on the dispatcher's thread: about a millisecond of one core.
constexpr std::uint64_t inline_flops_max = 4'000'000;
// Clients in a keep-alive loop send their next request in this time, and are told to close with its answer.
constexpr milliseconds idle_grace{200};
constexpr milliseconds tick{5};
constexpr milliseconds watch_period{250};

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

/// True when a stop signal came within `wait`.
bool signal_within(const sigset_t& signals, milliseconds wait) {
  timespec limit{.tv_sec = wait.count() / 1000, .tv_nsec = (wait.count() % 1000) * 1'000'000};
  return sigtimedwait(&signals, nullptr, &limit) > 0;
}

int start_failure(const std::string& reason) {
  std::fprintf(stderr, "headrace: %s\n", reason.c_str());
  telemetry::log_stop();
  return exit_failed_to_start;
}

/// Waits until `done` or `until`; a second signal ends the process.
template <class Done>
bool wait_until(const sigset_t& signals, Clock::time_point until, Done done) {
  while (!done()) {
    if (Clock::now() >= until) return false;
    if (signal_within(signals, tick)) {
      telemetry::log(LogLevel::warning, "second signal: ending at once");
      telemetry::log_stop();
      _exit(128 + SIGTERM);
    }
  }
  return true;
}

int drain(Server& server, const ServeConfig& config, const sigset_t& signals) {
  telemetry::log(LogLevel::info, "draining", {{"connections", std::to_string(server.connections())}});
  server.stop_being_ready();
  const auto left = [&server] { return server.connections() == 0; };
  // The whole delay, clients or not: whoever routes to this port has until then to learn that it is not ready.
  wait_until(signals, Clock::now() + config.drain_delay, [] { return false; });
  wait_until(signals, Clock::now() + idle_grace, left);
  const auto deadline = Clock::now() + config.drain_timeout;
  server.close_data_plane();
  wait_until(signals, deadline, [&server] { return server.data_plane_closed(); });
  // What the port's backlog held came in just now, and is given the time to send its request.
  wait_until(signals, std::min(deadline, Clock::now() + idle_grace), left);
  server.close_idle_connections();
  const bool answered = wait_until(signals, deadline, left);
  server.close_queues();
  const bool landed = wait_until(signals, deadline, [&server] { return server.engine().landed(); });
  if (answered && landed) {
    telemetry::log(LogLevel::info, "drained");
    return exit_ok;
  }
  telemetry::log(LogLevel::error, "drain deadline passed",
                 {{"connections", std::to_string(server.connections())},
                  {"requests", std::to_string(server.engine().door().requests_in_flight())}});
  // Flights may still write into buffers: nothing is destroyed under them.
  telemetry::log_stop();
  std::fflush(nullptr);
  _exit(exit_drain_incomplete);
}

[[noreturn]] void leave_lost_device(Server& server, const sigset_t& signals) {
  telemetry::log(LogLevel::error, "the device was lost: answering what is in flight, then leaving");
  server.stop_being_ready();
  wait_until(signals, Clock::now() + milliseconds{2000},
             [&server] { return server.engine().door().requests_in_flight() == 0; });
  telemetry::log_stop();
  std::fflush(nullptr);
  _exit(exit_device_lost);
}

}  // namespace

int serve(const ServeConfig& config) {
  telemetry::log_start(config.log_level, config.log_format);
  const auto signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // before any thread starts: only this one takes them
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
  auto opened =
      gpu::open_devices(config.device, {.cpu_workers = budgets->cpu_workers, .inline_flops_max = inline_flops_max});
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

  while (!signal_within(signals, watch_period)) {
    if ((*server)->engine().door().device_lost()) leave_lost_device(**server, signals);
  }
  const int status = drain(**server, config, signals);
  server->reset();
  telemetry::log_stop();
  return status;
}

}  // namespace headrace::app
