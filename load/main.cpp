#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <variant>

#include "load/options.hpp"
#include "load/run.hpp"

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

int run_and_report(const load::RunOptions& options) {
  const auto report = load::run(options, stop_requested);
  if (!report) {
    fmt::print(stderr, "headrace-load: {}\n", report.error());
    return exit_cannot_start;
  }
  if (!options.quiet && options.json_file != "-") fmt::print("{}", load::report_text(*report));
  if (!options.json_file.empty() && !write_text(options.json_file, load::report_json(*report))) {
    fmt::print(stderr, "headrace-load: --json: {} cannot be written\n", options.json_file);
    return exit_cannot_start;
  }
  if (report->failed(options.allowed_errors)) return exit_errors;
  return report->generator_failed() ? exit_generator : 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
  try {
    const auto parsed = load::parse_options(argc, argv);
    if (const auto* status = std::get_if<load::ExitStatus>(&parsed)) return status->code;
    return run_and_report(std::get<load::RunOptions>(parsed));
  } catch (const std::exception& error) {
    fmt::print(stderr, "headrace-load: {}\n", error.what());
    return exit_cannot_start;
  }
}
