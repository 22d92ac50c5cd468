#pragma once
// From ready to the end: what signals and lost devices do to a server that runs.

#include <memory>

#include "service/app/config.hpp"
#include "service/app/server.hpp"

namespace headrace::app {

/// Exit statuses of `headrace serve`.
inline constexpr int exit_ok = 0;
inline constexpr int exit_failed_to_start = 1;
inline constexpr int exit_drain_incomplete = 3;  // the drain deadline passed with requests unanswered
inline constexpr int exit_device_lost = 70;      // a supervisor should start the process anew

/// Keeps SIGTERM and SIGINT for run_to_end(): on the calling thread, before any other is started.
void block_stop_signals() noexcept;

/// Serves until SIGTERM or SIGINT, then drains; or until no device is left and config.on_device_lost says exit. Returns
/// the exit status; but where something might still write into the server's memory (a lost device, a flight that did
/// not land) or a second signal came, it ends the process with the status instead, and nothing is destroyed.
int run_to_end(std::unique_ptr<Server> server, const ServeConfig& config);

}  // namespace headrace::app
