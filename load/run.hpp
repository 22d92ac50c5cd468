#pragma once
// One run from start to end: find the server, read the model, prepare the requests, send, collect.

#include <atomic>

#include "load/options.hpp"
#include "load/report.hpp"
#include "load/result.hpp"

namespace headrace::load {

/// Blocks until the run is over. `stop` ends it early; what was measured until then is reported. The error says why
/// nothing could be sent.
Result<Report> run(const RunOptions& options, const std::atomic<bool>& stop);

}  // namespace headrace::load
