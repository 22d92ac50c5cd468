#pragma once
// The benchmarks by name.

#include <string>
#include <vector>

#include "load/bench/bench_options.hpp"
#include "load/bench/figures.hpp"

namespace headrace::bench {

// Each throws std::runtime_error when a device cannot be had or a flight fails.

/// Sustained GB/s each way by copy engines, for ring depths and slot sizes.
std::vector<Row> ring_bench(const BenchOptions& options);
/// Many requests as one batch, there and back, each way that they can take: one batch at a time, and all slots.
std::vector<Row> ingest_bench(const BenchOptions& options);
/// From submit to the notice of the smallest flight: back to back, and on a device that was idle for a while.
std::vector<Row> completion_bench(const BenchOptions& options);
/// The host's time inside submit.
std::vector<Row> submission_bench(const BenchOptions& options);
/// A program bound by the device, on one of them and on all at once.
std::vector<Row> devices_bench(const BenchOptions& options);

struct Bench {
  std::string name;
  std::vector<Row> (*run)(const BenchOptions& options);
};
const std::vector<Bench>& benches();

}  // namespace headrace::bench
