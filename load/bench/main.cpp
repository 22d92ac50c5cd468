#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>
#include <variant>

#include "load/bench/bench_options.hpp"
#include "load/bench/benches.hpp"
#include "load/bench/figures.hpp"
#include "load/bench/rig.hpp"

namespace headrace::bench {

const std::vector<Bench>& benches() {
  static const std::vector<Bench> all{{"ring", ring_bench},
                                      {"ingest", ingest_bench},
                                      {"completion", completion_bench},
                                      {"submission", submission_bench},
                                      {"devices", devices_bench}};
  return all;
}

namespace {

std::string devices_text(const BenchOptions& options) {
  std::string text;
  for (const auto& device : open_all(options.device, {})) {
    text += (text.empty() ? "" : ", ") + device->info().label + " " + device->info().name;
  }
  return text;
}

Figures run(const BenchOptions& options) {
  Figures figures{.device = devices_text(options), .quick = options.quick, .rows = {}};
  for (const Bench& bench : benches()) {
    if (std::ranges::find(options.benches, bench.name) == options.benches.end()) continue;
    for (Row& row : bench.run(options)) figures.rows.push_back(std::move(row));
  }
  return figures;
}

bool write_text(const std::string& path, const std::string& text) {
  if (path == "-") return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return false;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written;
}

int run_and_report(const BenchOptions& options) {
  const Figures figures = run(options);
  if (options.json_file != "-") fmt::print("{}", figures.text());
  if (options.json_file.empty() || write_text(options.json_file, figures.json())) return 0;
  fmt::print(stderr, "headrace-bench: --json: {} cannot be written\n", options.json_file);
  return 1;
}

}  // namespace
}  // namespace headrace::bench

int main(int argc, char** argv) {
  namespace bench = headrace::bench;
  try {
    std::vector<std::string> known;
    for (const bench::Bench& one : bench::benches()) known.push_back(one.name);
    const auto parsed = bench::parse_bench_options(argc, argv, known);
    if (const auto* status = std::get_if<bench::ExitStatus>(&parsed)) return status->code;
    return bench::run_and_report(std::get<bench::BenchOptions>(parsed));
  } catch (const std::exception& error) {
    fmt::print(stderr, "headrace-bench: {}\n", error.what());
    return 1;
  }
}
