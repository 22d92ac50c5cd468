#include "load/exit_status.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "load/objectives.hpp"

namespace headrace::load {

int exit_status(const Report& report, const RunOptions& options) {
  std::set<std::string> allowed = options.allowed_errors;
  if (bounds_errors(options.objectives)) {
    for (const auto& entry : report.totals.errors.entries()) allowed.insert(entry.name);
    allowed.erase("wrong_id");
    allowed.erase("verify_mismatch");
  }
  if (report.failed(allowed) || !missed(options.objectives, report).empty()) return exit_errors;
  return report.generator_failed() ? exit_generator : 0;
}

int worse_status(int a, int b) noexcept { return a == exit_errors || b == exit_errors ? exit_errors : std::max(a, b); }

}  // namespace headrace::load
