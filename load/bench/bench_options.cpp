#include "load/bench/bench_options.hpp"

#include <CLI/CLI.hpp>

namespace headrace::bench {

std::variant<BenchOptions, ExitStatus> parse_bench_options(int argc, const char* const* argv,
                                                           const std::vector<std::string>& known) {
  CLI::App app("Measures the staging ring and its device, below HTTP", "headrace-bench");
  BenchOptions options;
  app.add_option("bench", options.benches, "which to run; every one when none is named")->check(CLI::IsMember(known));
  app.add_option("--device", options.device, "auto, cpu, cuda, cuda:0,1")->capture_default_str();
  app.add_option("--seconds", options.seconds, "how long a case is measured")
      ->check(CLI::Range(0.001, 60.0))
      ->capture_default_str();
  app.add_flag("--quick", options.quick, "the smallest cases only: whether it works, not how fast");
  app.add_option("--json", options.json_file, "write the figures there as JSON; - is standard output");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    constexpr int usage_error = 2;
    return ExitStatus{app.exit(error) == 0 ? 0 : usage_error};
  }
  if (options.benches.empty()) options.benches = known;
  return options;
}

}  // namespace headrace::bench
