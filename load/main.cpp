#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <variant>

#include "load/options.hpp"
#include "load/run.hpp"
#include "load/side_by_side.hpp"
#include "load/sweep.hpp"

namespace {

namespace load = headrace::load;

constexpr int exit_errors = 1;
constexpr int exit_cannot_start = 3;
constexpr int exit_generator = 4;

std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

void request_stop(int signal) {
  stop_requested.store(true, std::memory_order_relaxed);
  std::signal(signal, SIG_DFL);  // a second signal ends the process at once
}

bool write_text(const std::string& path, const std::string& text) {
  if (path == "-") return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return false;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written;
}

int cannot_start(const std::string& why) {
  fmt::print(stderr, "headrace-load: {}\n", why);
  return exit_cannot_start;
}

/// Writes the JSON where the options ask for it; the exit status, unless that fails, is `status`.
int write_json(const load::RunOptions& options, const std::string& json, int status) {
  if (options.json_file.empty() || write_text(options.json_file, json)) return status;
  return cannot_start(fmt::format("--json: {} cannot be written", options.json_file));
}

bool shows_text(const load::RunOptions& options) { return !options.quiet && options.json_file != "-"; }

int status_of(const load::Report& report, const load::RunOptions& options) {
  if (report.failed(options.allowed_errors)) return exit_errors;
  return report.generator_failed() ? exit_generator : 0;
}

/// Of two runs' statuses the one that weighs more: errors above a generator that was too slow.
int worse(int a, int b) { return a == exit_errors || b == exit_errors ? exit_errors : std::max(a, b); }

int execute(const load::RunOptions& options) {
  const auto report = load::run(options, stop_requested);
  if (!report) return cannot_start(report.error());
  if (shows_text(options)) fmt::print("{}", load::report_text(*report));
  return write_json(options, load::report_json(*report), status_of(*report, options));
}

int execute(const load::SweepOptions& options) {
  const bool text = shows_text(options.run);
  if (text) fmt::print("{}", load::sweep_head(options.by_rate));
  int status = 0;
  const auto sweep = load::sweep(options, stop_requested, [&](const load::SweepPoint& point) {
    status = worse(status, status_of(point.report, options.run));
    if (!text) return;
    fmt::print("{}", load::sweep_line(point));
    std::fflush(stdout);
  });
  if (!sweep) return cannot_start(sweep.error());
  if (text) fmt::print("\n{}\n", sweep->verdict());
  return write_json(options.run, load::sweep_json(*sweep), sweep->points.empty() ? exit_errors : status);
}

int execute(const load::CompareOptions& options) {
  const auto outcome = load::side_by_side(options, stop_requested);
  if (!outcome) return cannot_start(outcome.error());
  if (shows_text(options.run)) fmt::print("{}", load::side_by_side_text(*outcome));
  int status = outcome->pairs.empty() ? exit_errors : 0;
  for (const load::Pair& pair : outcome->pairs) {
    status = worse(status, worse(status_of(pair.a, options.run), status_of(pair.b, options.run)));
  }
  return write_json(options.run, load::side_by_side_json(*outcome), status);
}

int execute(const load::ExitStatus& status) { return status.code; }

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
  try {
    return std::visit([](const auto& command) { return execute(command); }, load::parse_options(argc, argv));
  } catch (const std::exception& error) {
    fmt::print(stderr, "headrace-load: {}\n", error.what());
    return exit_cannot_start;
  }
}
