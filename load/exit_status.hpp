#pragma once
// What the process's exit status says. Pure.

#include "load/options.hpp"
#include "load/report.hpp"

namespace headrace::load {

inline constexpr int exit_errors = 1;        // errors, wrong answers, a missed objective, or nothing was measured
inline constexpr int exit_usage = 2;         // a wrong command line
inline constexpr int exit_cannot_start = 3;  // no server, no model, a file that does not fit or cannot be written
inline constexpr int exit_generator = 4;     // only: the generator did not keep its own plan

/// 0, exit_errors or exit_generator. An objective on the errors takes the place of `allowed_errors`, except for wrong
/// answers: they always fail the run.
int exit_status(const Report& report, const RunOptions& options);

/// Of two runs' statuses the one that weighs more.
int worse_status(int a, int b) noexcept;

}  // namespace headrace::load
