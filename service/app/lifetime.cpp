#include "service/app/lifetime.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <string>

#include "service/telemetry/log.hpp"

namespace headrace::app {

namespace {

using std::chrono::milliseconds;
using telemetry::LogLevel;
using Clock = std::chrono::steady_clock;

// Clients in a keep-alive loop send their next request in this time, and are told to close with its answer.
constexpr milliseconds idle_grace{200};
constexpr milliseconds tick{5};
constexpr milliseconds watch_period{250};
constexpr milliseconds last_answers{2000};

sigset_t stop_signals() noexcept {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

/// True when a stop signal came within `wait`.
bool signal_within(milliseconds wait) {
  const auto signals = stop_signals();
  timespec limit{.tv_sec = wait.count() / 1000, .tv_nsec = (wait.count() % 1000) * 1'000'000};
  return sigtimedwait(&signals, nullptr, &limit) > 0;
}

/// Nothing is destroyed: flights, or a dead device, may still write into buffers.
[[noreturn]] void leave(int status) {
  telemetry::log_stop();
  std::fflush(nullptr);
  _exit(status);
}

class Lifetime {
 public:
  Lifetime(Server& server, const ServeConfig& config) : server_(server), config_(config) {}

  void serve() {
    bool told = false;
    while (!signal_within(watch_period)) {
      server_.look_after_devices();
      if (!server_.engine().door().device_lost()) continue;
      if (config_.on_device_lost == OnDeviceLost::exit) leave_lost_devices();
      if (!told) telemetry::log(LogLevel::error, "no device is left: staying, not ready");
      told = true;
    }
  }

  void drain() {
    telemetry::log(LogLevel::info, "draining", {{"connections", std::to_string(server_.connections())}});
    server_.stop_being_ready();
    const auto left = [this] { return server_.connections() == 0; };
    // The whole delay, clients or not: whoever routes to this port has until then to learn that it is not ready.
    wait_until(Clock::now() + config_.drain_delay, [] { return false; });
    wait_until(Clock::now() + idle_grace, left);
    const auto deadline = Clock::now() + config_.drain_timeout;
    server_.close_data_plane();
    wait_until(deadline, [this] { return server_.data_plane_closed(); });
    // What the port's backlog held came in just now, and is given the time to send its request.
    wait_until(std::min(deadline, Clock::now() + idle_grace), left);
    server_.close_idle_connections();
    const bool answered = wait_until(deadline, left);
    server_.close_queues();
    const bool landed = wait_until(deadline, [this] { return server_.engine().landed(); });
    if (answered && landed) {
      telemetry::log(LogLevel::info, "drained");
      return;
    }
    telemetry::log(LogLevel::error, "drain deadline passed",
                   {{"connections", std::to_string(server_.connections())},
                    {"requests", std::to_string(server_.engine().door().requests_in_flight())}});
    leave(exit_drain_incomplete);
  }

 private:
  [[noreturn]] void leave_lost_devices() {
    telemetry::log(LogLevel::error, "no device is left: answering what is in flight, then leaving");
    server_.stop_being_ready();
    server_.close_queues();  // a batch that is held back is not held any longer
    wait_until(Clock::now() + last_answers, [this] { return server_.engine().door().requests_in_flight() == 0; });
    leave(exit_device_lost);
  }

  /// Waits until `done` or `until`, and looks after the devices meanwhile; a second signal ends the process.
  template <class Done>
  bool wait_until(Clock::time_point until, Done done) {
    while (!done()) {
      if (Clock::now() >= until) return false;
      if (signal_within(tick)) {
        telemetry::log(LogLevel::warning, "second signal: ending at once");
        leave(128 + SIGTERM);
      }
      server_.look_after_devices();
    }
    return true;
  }

  Server& server_;
  const ServeConfig& config_;
};

}  // namespace

void block_stop_signals() noexcept {
  const auto signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

int run_to_end(std::unique_ptr<Server> server, const ServeConfig& config) {
  Lifetime lifetime(*server, config);
  lifetime.serve();
  lifetime.drain();
  if (server->engine().any_device_lost()) leave(exit_ok);
  server.reset();
  telemetry::log_stop();
  return exit_ok;
}

}  // namespace headrace::app
