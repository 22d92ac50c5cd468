#pragma once
// Two servers under the same load in turns, so that what the machine does meanwhile meets both.

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "load/options.hpp"
#include "load/report.hpp"
#include "load/result.hpp"
#include "load/spread.hpp"

namespace headrace::load {

struct Pair {
  Report a;
  Report b;
};

struct SideBySide {
  std::vector<Pair> pairs;

  /// B over A of each pair, of a figure that is above 0 in both; other pairs are left out.
  Spread ratio(const std::function<double(const Report&)>& figure) const;
};

/// Pairs of runs, A before B and B before A by turns. `stop` ends it; whole pairs are kept.
Result<SideBySide> side_by_side(const CompareOptions& options, const std::atomic<bool>& stop);

std::string side_by_side_text(const SideBySide& outcome);
std::string side_by_side_csv(const SideBySide& outcome);
std::string side_by_side_json(const SideBySide& outcome);

}  // namespace headrace::load
