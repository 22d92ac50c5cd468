#pragma once
// The command line of `headrace-load`.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "load/clock.hpp"
#include "load/objectives.hpp"
#include "load/payload.hpp"
#include "load/schedule.hpp"
#include "load/target.hpp"

namespace headrace::load {

struct RunOptions {
  Target target;
  std::string model;
  std::string version;                    // empty: the server's choice
  Arrivals arrivals;                      // of an open loop; none: closed loop
  std::string arrivals_text;              // of an open loop, for people: "1000 requests/s, Poisson"
  std::uint32_t connections = 1;          // closed loop: the concurrency; open loop: at most so many
  std::uint32_t threads = 1;
  Duration warmup{};
  std::optional<Duration> duration;       // one of the two
  std::optional<std::uint64_t> requests;
  RowRange rows;
  Format format = Format::binary;
  std::uint64_t seed = 1;
  std::map<std::string, std::vector<std::int64_t>> shapes;  // of rows, by input
  std::string metadata_file;              // empty: asked of the server
  std::string input_file;                 // empty: random rows
  std::string expect_file;                // empty: none
  double tolerance = 1e-4;
  bool verify = false;
  Duration timeout = std::chrono::seconds(10);
  std::set<std::string> allowed_errors;   // names as in the report
  std::vector<Objective> objectives;  // of the exit status
  std::uint32_t repeat = 1;  // runs, one after the other
  std::string json_file;                  // "-": standard output
  std::string csv_file;  // empty: none
  std::string html_file;  // empty: none
  bool quiet = false;
  std::optional<std::uint64_t> raw_body_bytes;
};

struct SweepOptions {
  RunOptions run;  // its load is replaced by each level's
  bool by_rate = false;
  std::vector<double> levels;  // ascending; connections, or requests a second
};

struct CompareOptions {
  RunOptions run;  // its target is replaced by each of the two
  Target a;
  Target b;
  std::uint32_t pairs = 5;
};

/// The process ends here with that status: help was shown, or the command line was refused (and why was said).
struct ExitStatus {
  int code = 0;
};

using Command = std::variant<RunOptions, SweepOptions, CompareOptions, ExitStatus>;

/// Shows help and errors itself, on standard output and error.
Command parse_options(int argc, const char* const* argv);

}  // namespace headrace::load
