#pragma once
// The options that the subcommands share: as CLI11 reads them, and made into what a run needs. Throws CLI::ParseError.

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "load/options.hpp"

namespace headrace::load {

/// What CLI11 fills before our own checks.
struct RawOptions {
  std::vector<std::string> urls{"http://127.0.0.1:8000"};
  std::string rate;
  std::string replay_file;
  std::string arrivals = "even";
  std::uint32_t burst = 1;
  std::string duration = "10s";
  std::string warmup = "0s";
  std::string timeout = "10s";
  std::string rows = "1";
  std::string format = "binary";
  std::vector<std::string> allowed_errors;
  std::string slo;
  std::vector<std::string> shapes;
  std::uint64_t requests = 0;
  std::uint64_t raw_body_bytes = 0;
  std::uint32_t concurrency = 1;
  std::string concurrency_levels = "1..64";
  std::uint32_t pairs = 5;
  std::uint32_t connections = 64;
};

/// The load of one run: closed or open loop.
void add_load_options(CLI::App& app, RawOptions& raw);
/// How often it is run.
void add_repeat_option(CLI::App& app, RunOptions& options);
/// The levels of a sweep.
void add_level_options(CLI::App& app, RawOptions& raw);
/// Everything else but the URLs.
void add_common_options(CLI::App& app, RawOptions& raw, RunOptions& options);

/// Checks and fills all but the load and the target.
void finish_common(const CLI::App& app, const RawOptions& raw, RunOptions& options);
void finish_load(const CLI::App& app, const RawOptions& raw, RunOptions& options);
void finish_levels(const CLI::App& app, const RawOptions& raw, SweepOptions& options);
Target finish_target(const std::string& url);

}  // namespace headrace::load
