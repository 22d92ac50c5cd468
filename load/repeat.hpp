#pragma once
// The same run several times, as one report that says how far the runs agree.

#include <atomic>
#include <vector>

#include "load/options.hpp"
#include "load/report.hpp"
#include "load/result.hpp"

namespace headrace::load {

/// `options.repeat` runs one after the other. `stop` ends them; what was measured until then is reported.
Result<Report> run_repeatedly(const RunOptions& options, const std::atomic<bool>& stop);

/// One report of at least one: counts, histograms and seconds are added, the series follow each other, and `repeats`
/// holds each run's figures where there were several. Pure.
Report joined(std::vector<Report> reports);

}  // namespace headrace::load
