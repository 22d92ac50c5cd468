#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <tuple>
#include <variant>

#include "load/csv.hpp"
#include "load/exit_status.hpp"
#include "load/html_report.hpp"
#include "load/options.hpp"
#include "load/repeat.hpp"
#include "load/side_by_side.hpp"
#include "load/sweep.hpp"

namespace {

namespace load = headrace::load;

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
  return load::exit_cannot_start;
}

/// One result in the forms that can be asked for.
struct Documents {
  std::string text;
  std::string json;
  std::string csv;
  std::string html;
};

bool shows_text(const load::RunOptions& options) {
  return !options.quiet && options.json_file != "-" && options.csv_file != "-";
}

/// The exit status, unless something cannot be written, is `status`.
int deliver(const load::RunOptions& options, const Documents& documents, int status) {
  if (shows_text(options)) fmt::print("{}", documents.text);
  for (const auto& [option, file, document] : {std::tuple("--json", &options.json_file, &documents.json),
                                               std::tuple("--csv", &options.csv_file, &documents.csv),
                                               std::tuple("--html", &options.html_file, &documents.html)}) {
    if (file->empty() || write_text(*file, *document)) continue;
    return cannot_start(fmt::format("{}: {} cannot be written", option, *file));
  }
  return status;
}

int execute(const load::RunOptions& options) {
  const auto report = load::run_repeatedly(options, stop_requested);
  if (!report) return cannot_start(report.error());
  const Documents documents{load::report_text(*report), load::report_json(*report),
                            load::csv_head() + load::csv_line("run", *report), load::report_html(*report)};
  return deliver(options, documents, load::exit_status(*report, options));
}

int execute(const load::SweepOptions& options) {
  const bool text = shows_text(options.run);
  if (text) fmt::print("{}", load::sweep_head(options.by_rate));
  int status = 0;
  const auto sweep = load::sweep(options, stop_requested, [&](const load::SweepPoint& point) {
    status = load::worse_status(status, load::exit_status(point.report, options.run));
    if (!text) return;
    fmt::print("{}", load::sweep_line(point));
    std::fflush(stdout);
  });
  if (!sweep) return cannot_start(sweep.error());
  const Documents documents{"\n" + sweep->verdict() + "\n", load::sweep_json(*sweep), load::sweep_csv(*sweep),
                            load::sweep_html(*sweep)};
  return deliver(options.run, documents, sweep->points.empty() ? load::exit_errors : status);
}

int execute(const load::CompareOptions& options) {
  const auto outcome = load::side_by_side(options, stop_requested);
  if (!outcome) return cannot_start(outcome.error());
  int status = outcome->pairs.empty() ? load::exit_errors : 0;
  for (const load::Pair& pair : outcome->pairs) {
    status = load::worse_status(status, load::exit_status(pair.a, options.run));
    status = load::worse_status(status, load::exit_status(pair.b, options.run));
  }
  const Documents documents{load::side_by_side_text(*outcome), load::side_by_side_json(*outcome),
                            load::side_by_side_csv(*outcome), load::side_by_side_html(*outcome)};
  return deliver(options.run, documents, status);
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
    return load::exit_cannot_start;
  }
}
