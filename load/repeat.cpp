#include "load/repeat.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "load/objectives.hpp"
#include "load/run.hpp"

namespace headrace::load {

Result<Report> run_repeatedly(const RunOptions& options, const std::atomic<bool>& stop) {
  std::vector<Report> reports;
  for (std::uint32_t i = 0; i < options.repeat; ++i) {
    RunOptions next = options;
    next.arrivals.seed += i;  // the arrivals of one plan would hide how much they matter
    auto report = run(next, stop);
    if (!report) return fail(std::move(report.error()));
    reports.push_back(std::move(*report));
    if (stop.load(std::memory_order_relaxed)) break;
  }
  Report report = joined(std::move(reports));
  report.missed = missed(options.objectives, report);
  return report;
}

Report joined(std::vector<Report> reports) {
  assert(!reports.empty());
  std::vector<Report::Repeat> repeats;
  for (const Report& report : reports) {
    const auto us = [&report](double quantile) {
      return static_cast<double>(report.totals.latency.quantile_ns(quantile)) / 1e3;
    };
    repeats.push_back({report.throughput_rps(), us(0.5), us(0.99), us(0.999)});
  }
  Report whole = std::move(reports.front());
  for (std::size_t i = 1; i < reports.size(); ++i) {
    const Report& next = reports[i];
    Timeline timeline = std::move(whole.totals.timeline);
    timeline.append(next.totals.timeline);
    whole.totals.merge(next.totals);
    whole.totals.timeline = std::move(timeline);
    whole.seconds += next.seconds;
    whole.cpu_seconds += next.cpu_seconds;
    whole.busy = std::max(whole.busy, next.busy);
  }
  if (repeats.size() > 1) whole.repeats = std::move(repeats);
  return whole;
}

}  // namespace headrace::load
