#include "load/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace headrace::load {
namespace {

constexpr double width = 720;
constexpr double height = 300;
constexpr double left = 64;
constexpr double right = 16;
constexpr double top = 30;
constexpr double bottom = 44;
constexpr int ticks_max = 9;
constexpr std::size_t colours = 4;

struct Axis {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool log = false;
  double from = 0;  // in the picture
  double to = 0;

  void include(double value) noexcept {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  double scaled(double value) const noexcept { return log ? std::log10(value) : value; }
  double at(double value) const noexcept {
    return from + (scaled(value) - scaled(low)) / (scaled(high) - scaled(low)) * (to - from);
  }
  /// A range that is no point, from 0 where it is linear.
  void widen() noexcept {
    if (log) {
      low /= 1.1;
      high *= 1.1;
      return;
    }
    low = std::min(low, 0.0);
    high = high > low ? low + (high - low) * 1.05 : low + 1;
  }
};

bool drawable(const Plot& plot, const std::pair<double, double>& point) noexcept {
  const bool x = std::isfinite(point.first) && (!plot.log_x || point.first > 0);
  return x && std::isfinite(point.second) && (!plot.log_y || point.second > 0);
}

std::string text_at(double x, double y, const char* anchor, const char* style, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\">{}</text>\n", x, y, anchor, style,
                     escaped(text));
}

std::string line_at(double x1, double y1, double x2, double y2, const char* style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2, y2,
                     style);
}

std::string grid(const Plot& plot, const Axis& x, const Axis& y) {
  std::string svg;
  for (const double tick : y.log ? log_ticks(y.low, y.high, ticks_max) : linear_ticks(y.low, y.high, ticks_max)) {
    svg += line_at(left, y.at(tick), width - right, y.at(tick), "grid");
    svg += text_at(left - 6, y.at(tick) + 4, "end", "tick", short_number(tick));
  }
  auto ticks = plot.x_ticks;
  if (ticks.empty()) {
    for (const double tick : x.log ? log_ticks(x.low, x.high, ticks_max) : linear_ticks(x.low, x.high, ticks_max)) {
      ticks.emplace_back(tick, short_number(tick));
    }
  }
  for (const auto& [tick, name] : ticks) {
    if (tick < x.low || tick > x.high) continue;
    svg += line_at(x.at(tick), top, x.at(tick), height - bottom, "grid");
    svg += text_at(x.at(tick), height - bottom + 16, "middle", "tick", name);
  }
  svg += line_at(left, top, left, height - bottom, "axis");
  svg += line_at(left, height - bottom, width - right, height - bottom, "axis");
  svg += text_at((left + width - right) / 2, height - 8, "middle", "label", plot.x_label);
  svg += text_at(4, 14, "start", "label", plot.y_label);
  return svg;
}

std::string curve(const Plot& plot, std::size_t number, const Axis& x, const Axis& y) {
  const PlotSeries& series = plot.series[number];
  const std::size_t colour = number % colours;
  std::string path;
  std::string points;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    if (!drawable(plot, series.points[i])) continue;
    const double at_x = x.at(series.points[i].first);
    const double at_y = y.at(series.points[i].second);
    path += fmt::format("{:.1f},{:.1f} ", at_x, at_y);
    constexpr std::size_t points_shown_max = 60;
    if (series.points.size() <= points_shown_max) {
      points += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" class=\"c{}\"/>\n", at_x, at_y, colour);
    }
    if (i < series.labels.size()) points += text_at(at_x + 5, at_y - 5, "start", "tick", series.labels[i]);
  }
  return fmt::format("<polyline points=\"{}\" class=\"c{} d{}\"/>\n", path, colour, colour) + points;
}

std::string legend(const Plot& plot) {
  constexpr double letter = 6.6;
  double x = width - right;
  std::string svg;
  for (std::size_t i = plot.series.size(); i-- > 0;) {
    const std::string& name = plot.series[i].name;
    if (name.empty()) continue;
    const double space = letter * static_cast<double>(name.size()) + 34;
    x -= space;
    const std::size_t colour = i % colours;
    svg += fmt::format("<polyline points=\"{:.1f},10 {:.1f},10\" class=\"c{} d{}\"/>\n", x, x + 20, colour, colour);
    svg += text_at(x + 25, 14, "start", "label", name);
  }
  return svg;
}

std::string marked(const PlotMark& mark, const Axis& x, const Axis& y) {
  const double at_x = x.at(mark.x);
  const double at_y = y.at(mark.y);
  const bool in_left_half = at_x < width / 2;
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"7\" class=\"mark\"/>\n", at_x, at_y) +
         text_at(at_x + (in_left_half ? 11 : -11), at_y + 18, in_left_half ? "start" : "end", "label", mark.text);
}

}  // namespace

std::string svg_plot(const Plot& plot) {
  Axis x{.log = plot.log_x, .from = left, .to = width - right};
  Axis y{.log = plot.log_y, .from = height - bottom, .to = top};
  for (const PlotSeries& series : plot.series) {
    for (const auto& point : series.points) {
      if (!drawable(plot, point)) continue;
      x.include(point.first);
      y.include(point.second);
    }
  }
  const std::string open =
      fmt::format("<svg viewBox=\"0 0 {:g} {:g}\" role=\"img\" aria-label=\"{}\">\n<title>{}</title>\n", width, height,
                  escaped(plot.title), escaped(plot.title));
  if (x.low > x.high) return open + text_at(width / 2, height / 2, "middle", "label", "nothing to draw") + "</svg>\n";
  x.widen();
  y.widen();
  std::string svg = open + grid(plot, x, y);
  for (std::size_t i = 0; i < plot.series.size(); ++i) svg += curve(plot, i, x, y);
  if (plot.mark && drawable(plot, {plot.mark->x, plot.mark->y})) svg += marked(*plot.mark, x, y);
  return svg + legend(plot) + "</svg>\n";
}

std::vector<double> linear_ticks(double low, double high, int count) {
  const double rough = (high - low) / count;
  if (!(rough > 0)) return {low};
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= rough) step = factor * power;
  }
  std::vector<double> ticks;
  const auto first = static_cast<std::int64_t>(std::ceil(low / step - 1e-9));
  const auto last = static_cast<std::int64_t>(std::floor(high / step + 1e-9));
  for (std::int64_t i = first; i <= last; ++i) ticks.push_back(static_cast<double>(i) * step);
  return ticks;
}

std::vector<double> log_ticks(double low, double high, int count) {
  const auto first = static_cast<int>(std::floor(std::log10(low)));
  const auto last = static_cast<int>(std::ceil(std::log10(high)));
  std::vector<double> ticks;
  for (int power = first; power <= last; ++power) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * std::pow(10, power);
      if (tick >= low && tick <= high) ticks.push_back(tick);
    }
  }
  if (static_cast<int>(ticks.size()) <= count) return ticks;
  std::erase_if(ticks, [](double tick) {
    const double log = std::log10(tick);
    return std::abs(log - std::round(log)) > 1e-6;
  });
  return ticks;
}

std::string short_number(double value) {
  const double size = std::abs(value);
  if (size >= 1e9) return fmt::format("{:.3g}G", value / 1e9);
  if (size >= 1e6) return fmt::format("{:.3g}M", value / 1e6);
  if (size >= 1e4) return fmt::format("{:.3g}k", value / 1e3);
  if (size >= 1e3) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

}  // namespace headrace::load
