#pragma once
// One run for each level of load, and what they say together.

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "load/knee.hpp"
#include "load/options.hpp"
#include "load/report.hpp"
#include "load/result.hpp"

namespace headrace::load {

struct SweepPoint {
  double level = 0;  // connections, or requests a second
  Report report;
};

struct Sweep {
  bool by_rate = false;
  std::vector<SweepPoint> points;  // in the order of the levels

  /// Of throughput (requests/s) against the median latency.
  std::optional<Knee> knee() const;
  /// What the knee means, in one sentence; or that there is none.
  std::string verdict() const;
};

/// Runs every level in turn, `after_each` with each result. `stop` ends the sweep; levels measured in full are kept.
Result<Sweep> sweep(const SweepOptions& options, const std::atomic<bool>& stop,
                    const std::function<void(const SweepPoint&)>& after_each);

std::string sweep_head(bool by_rate);
std::string sweep_line(const SweepPoint& point);
std::string sweep_csv(const Sweep& sweep);
std::string sweep_json(const Sweep& sweep);

}  // namespace headrace::load
