#pragma once
// What a run must reach: `--slo p99=5ms,errors=0`. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "load/report.hpp"
#include "load/result.hpp"

namespace headrace::load {

struct Objective {
  enum class Kind : std::uint8_t { latency, errors, error_share, throughput };

  std::string text;  // as it was asked for
  Kind kind = Kind::latency;
  double quantile = 0;  // of latency; 1 is the maximum
  double bound = 0;     // latency: ns, at most; errors: count or share, at most; throughput: requests/s, at least
};

/// Comma-separated `p50`, `p90`, `p99`, `p99.9`, `p99.99` or `max` = a duration, `errors` = N or N%, `throughput` = N
/// requests/s at least.
Result<std::vector<Objective>> parse_objectives(std::string_view text);

/// One sentence for each objective that was missed. Where nothing was measured every one is.
std::vector<std::string> missed(const std::vector<Objective>& objectives, const Report& report);

/// Whether the number of errors is bounded by an objective.
bool bounds_errors(const std::vector<Objective>& objectives) noexcept;

}  // namespace headrace::load
