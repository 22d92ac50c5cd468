#pragma once

#include "service/app/config.hpp"

namespace headrace::app {

/// Exit statuses of `headrace serve`.
inline constexpr int exit_ok = 0;
inline constexpr int exit_failed_to_start = 1;
inline constexpr int exit_drain_incomplete = 3;  // the drain deadline passed with requests unanswered
inline constexpr int exit_device_lost = 70;      // a supervisor should start the process anew

/// Runs the service until SIGTERM or SIGINT, drains, and returns the exit status. A second signal ends the process at
/// once.
int serve(const ServeConfig& config);

}  // namespace headrace::app
