#pragma once
// The command line of headrace-bench, as a value.

#include <string>
#include <variant>
#include <vector>

namespace headrace::bench {

struct BenchOptions {
  std::vector<std::string> benches;  // in the order they run; every one when none was named
  std::string device = "auto";       // as gpu::open_devices reads it
  double seconds = 0.3;              // how long a case is measured
  bool quick = false;                // the smallest cases only: whether it works, not how fast
  std::string json_file;
};

struct ExitStatus {
  int code = 0;
};

/// Prints help or what is wrong itself; then the status to exit with.
std::variant<BenchOptions, ExitStatus> parse_bench_options(int argc, const char* const* argv,
                                                           const std::vector<std::string>& known);

}  // namespace headrace::bench
