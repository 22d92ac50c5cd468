#pragma once
// What repeated measurements agree on: their mean and how sure it is. Pure.

#include <cstddef>
#include <span>

namespace headrace::load {

struct Spread {
  std::size_t count = 0;
  double mean = 0;
  double low = 0;   // of the mean's 95 % confidence interval (Student's t); with fewer than two values, the mean
  double high = 0;
  double min = 0;   // of the values
  double max = 0;
};

/// Zeros when there is no value.
Spread spread_of(std::span<const double> values);

/// Of quotients: the geometric mean and its interval. Every value is above 0.
Spread ratio_spread_of(std::span<const double> ratios);

/// The 97.5 % quantile of Student's t distribution, within 0.2 %; `freedom` is at least 1.
double student_t(std::size_t freedom) noexcept;

}  // namespace headrace::load
