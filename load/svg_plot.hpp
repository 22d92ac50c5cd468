#pragma once
// A line plot as inline SVG. Pure. Colours come from the page's style: classes `c0`, `c1`, … of a series, `axis`,
// `grid` and `mark`, so that one picture serves light, dark and paper.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headrace::load {

struct PlotSeries {
  std::string name;
  std::vector<std::pair<double, double>> points;  // in the order in which the line goes
  std::vector<std::string> labels;                // of the points, beside them; empty: none
};

struct PlotMark {
  double x = 0;
  double y = 0;
  std::string text;
};

struct Plot {
  std::string title;  // for readers who do not see it, too
  std::string x_label;
  std::string y_label;
  bool log_x = false;  // points that are not above 0 are left out, as they are on a logarithmic y
  bool log_y = false;
  std::vector<std::pair<double, std::string>> x_ticks = {};  // empty: chosen from the range
  std::vector<PlotSeries> series = {};
  std::optional<PlotMark> mark = {};
};

/// One <svg> element; a note where there is no point to draw.
std::string svg_plot(const Plot& plot);

/// Ticks for a linear axis: multiples of 1, 2 or 5 times a power of ten within [low, high], at most `count` of them.
std::vector<double> linear_ticks(double low, double high, int count);
/// For a logarithmic one: 1, 2 and 5 times the powers of ten within [low, high], or the powers alone where these are
/// many.
std::vector<double> log_ticks(double low, double high, int count);

/// 1234567 as 1.23M, 0.00012 as 0.00012: at most three digits that count, for people.
std::string short_number(double value);
/// & < > " written so that they stand for themselves in text and attributes.
std::string escaped(std::string_view text);

}  // namespace headrace::load
