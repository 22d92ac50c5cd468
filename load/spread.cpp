#include "load/spread.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <vector>

namespace headrace::load {

double student_t(std::size_t freedom) noexcept {
  assert(freedom >= 1);
  constexpr std::array<double, 20> table{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                         2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};
  if (freedom <= table.size()) return table[freedom - 1];
  // The first terms of the expansion about the normal quantile z: z + (z³ + z) / 4n + (5z⁵ + 16z³ + 3z) / 96n².
  const auto n = static_cast<double>(freedom);
  constexpr double z = 1.95996;
  constexpr double cube = z * z * z;
  return z + (cube + z) / (4 * n) + (5 * cube * z * z + 16 * cube + 3 * z) / (96 * n * n);
}

Spread spread_of(std::span<const double> values) {
  Spread spread;
  if (values.empty()) return spread;
  spread.count = values.size();
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  spread.min = *min;
  spread.max = *max;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) spread.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  const double half = values.size() < 2 ? 0 : student_t(values.size() - 1) * std::sqrt(squares / (count - 1) / count);
  spread.low = spread.mean - half;
  spread.high = spread.mean + half;
  return spread;
}

Spread ratio_spread_of(std::span<const double> ratios) {
  std::vector<double> logs;
  logs.reserve(ratios.size());
  for (const double ratio : ratios) {
    assert(ratio > 0);
    logs.push_back(std::log(ratio));
  }
  Spread spread = spread_of(logs);
  if (spread.count == 0) return spread;
  for (double* const value : {&spread.mean, &spread.low, &spread.high, &spread.min, &spread.max}) {
    *value = std::exp(*value);
  }
  return spread;
}

}  // namespace headrace::load
