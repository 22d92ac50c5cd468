#include "load/options.hpp"

#include <CLI/CLI.hpp>

#include "load/command_line.hpp"
#include "load/exit_status.hpp"

namespace headrace::load {
namespace {

constexpr const char* url_help = "the server, http://HOST:PORT[/PREFIX]";

CLI::App* add_run(CLI::App& app, RawOptions& raw, RunOptions& options) {
  CLI::App* run = app.add_subcommand("run", "send requests to one model, and report rates, latencies and errors");
  run->add_option("--url", raw.urls, url_help)->expected(1)->capture_default_str();
  add_load_options(*run, raw);
  add_repeat_option(*run, options);
  add_common_options(*run, raw, options);
  return run;
}

CLI::App* add_sweep(CLI::App& app, RawOptions& raw, SweepOptions& options) {
  CLI::App* sweep = app.add_subcommand("sweep", "one run for each level of load, and the knee of their curve");
  raw.duration = "5s";
  sweep->add_option("--url", raw.urls, url_help)->expected(1)->capture_default_str();
  add_level_options(*sweep, raw);
  add_common_options(*sweep, raw, options.run);
  return sweep;
}

CLI::App* add_compare(CLI::App& app, RawOptions& raw, CompareOptions& options) {
  constexpr std::uint32_t pairs_max = 10'000;
  CLI::App* compare = app.add_subcommand("compare", "the same load on two servers in turns, and the ratio of the two");
  raw.duration = "5s";
  raw.urls.clear();
  compare->add_option("--url", raw.urls, "A and B: --url A --url B")->required();
  compare->add_option("--pairs", raw.pairs, "runs against each")
      ->check(CLI::Range(1U, pairs_max))
      ->capture_default_str();
  add_load_options(*compare, raw);
  add_common_options(*compare, raw, options.run);
  return compare;
}

RunOptions finish_run(const CLI::App& app, const RawOptions& raw, RunOptions options) {
  options.target = finish_target(raw.urls.front());
  finish_common(app, raw, options);
  finish_load(app, raw, options);
  return options;
}

SweepOptions finish_sweep(const CLI::App& app, const RawOptions& raw, SweepOptions options) {
  options.run.target = finish_target(raw.urls.front());
  finish_common(app, raw, options.run);
  finish_levels(app, raw, options);
  return options;
}

CompareOptions finish_compare(const CLI::App& app, const RawOptions& raw, CompareOptions options) {
  if (raw.urls.size() != 2) throw CLI::ValidationError("--url", "expected two: --url A --url B");
  options.a = finish_target(raw.urls.front());
  options.b = finish_target(raw.urls.back());
  options.pairs = raw.pairs;
  finish_common(app, raw, options.run);
  finish_load(app, raw, options.run);
  return options;
}

}  // namespace

Command parse_options(int argc, const char* const* argv) {
  CLI::App app("Load generator for servers of the Open Inference Protocol (V2)", "headrace-load");
  app.require_subcommand(1);
  RawOptions raw_run;
  RawOptions raw_sweep;
  RawOptions raw_compare;
  RunOptions run_options;
  SweepOptions sweep_options;
  CompareOptions compare_options;
  const CLI::App* run = add_run(app, raw_run, run_options);
  const CLI::App* sweep = add_sweep(app, raw_sweep, sweep_options);
  const CLI::App* compare = add_compare(app, raw_compare, compare_options);
  try {
    app.parse(argc, argv);
    if (run->parsed()) return finish_run(*run, raw_run, std::move(run_options));
    if (sweep->parsed()) return finish_sweep(*sweep, raw_sweep, std::move(sweep_options));
    return finish_compare(*compare, raw_compare, std::move(compare_options));
  } catch (const CLI::ParseError& error) {
    return ExitStatus{app.exit(error) == 0 ? 0 : exit_usage};
  }
}

}  // namespace headrace::load
