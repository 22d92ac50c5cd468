#include "load/html_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "load/html_page.hpp"
#include "load/svg_plot.hpp"

namespace headrace::load {
namespace {

constexpr std::array<std::pair<const char*, double>, 6> shown_quantiles{
    {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}, {"max", 1}}};

double ms(std::uint64_t ns) noexcept { return static_cast<double>(ns) / 1e6; }

std::string figure_of(double value) { return fmt::format("{:.3f}", value); }

std::vector<std::string> percentile_row(const char* name, const Histogram& histogram) {
  std::vector<std::string> row{name, figure_of(histogram.mean_ns() / 1e6)};
  for (const auto& [key, quantile] : shown_quantiles) row.push_back(figure_of(ms(histogram.quantile_ns(quantile))));
  return row;
}

std::string percentile_table(const Report& report) {
  std::vector<std::vector<std::string>> rows{percentile_row("latency", report.totals.latency),
                                             percentile_row("service", report.totals.service)};
  if (report.open_loop) rows.push_back(percentile_row("generator's lateness", report.totals.lateness));
  return html_table({"ms", "mean", "p50", "p90", "p99", "p99.9", "p99.99", "max"}, rows);
}

/// Over the share of requests that took longer, so that each nine has the same width.
PlotSeries percentile_curve(std::string name, const Histogram& histogram) {
  PlotSeries series;
  series.name = std::move(name);
  constexpr int points_per_nine = 12;
  const auto count = static_cast<double>(histogram.count());
  for (int i = 0; i <= 5 * points_per_nine; ++i) {
    const double beyond = std::pow(10, static_cast<double>(i) / points_per_nine);
    if (beyond > count) break;
    series.points.emplace_back(beyond, ms(histogram.quantile_ns(1 - 1 / beyond)));
  }
  return series;
}

std::string percentile_figure(std::vector<PlotSeries> series) {
  Plot plot{.title = "Latency by percentile", .x_label = "percentile of the requests", .y_label = "ms"};
  plot.log_x = true;
  plot.log_y = true;
  plot.x_ticks = {{1, "0"}, {2, "50"}, {10, "90"}, {100, "99"}, {1e3, "99.9"}, {1e4, "99.99"}, {1e5, "99.999"}};
  plot.series = std::move(series);
  return html_figure(plot.title, svg_plot(plot), "Logarithmic both ways; each nine of the percentile is as wide.");
}

std::string series_figures(const Report& report) {
  const Timeline& timeline = report.totals.timeline;
  const double length = std::chrono::duration<double>(timeline.slice_length()).count();
  std::array<PlotSeries, 2> rates{PlotSeries{"succeeded", {}, {}}, PlotSeries{"errors", {}, {}}};
  std::array<PlotSeries, 3> latencies{PlotSeries{"p50", {}, {}}, PlotSeries{"p99", {}, {}}, PlotSeries{"max", {}, {}}};
  for (std::size_t i = 0; i < timeline.slices().size(); ++i) {
    const Timeline::Slice& slice = timeline.slices()[i];
    const double at = (static_cast<double>(i) + 0.5) * length;
    const double covered = report.repeats.empty() ? std::min(length, report.seconds - at + length / 2) : length;
    constexpr double covered_min = 0.5;
    if (covered >= covered_min * length) {  // the rest of a last slice is no rate
      rates[0].points.emplace_back(at, static_cast<double>(slice.succeeded) / covered);
      rates[1].points.emplace_back(at, static_cast<double>(slice.errors) / covered);
    }
    for (std::size_t k = 0; k < latencies.size(); ++k) {
      constexpr std::array<double, 3> quantiles{0.5, 0.99, 1};
      latencies[k].points.emplace_back(at, ms(slice.quantile_ns(quantiles[k])));
    }
  }
  Plot rate{.title = "Throughput over time", .x_label = "seconds", .y_label = "requests/s"};
  rate.series = {rates.begin(), rates.end()};
  Plot latency{.title = "Latency over time", .x_label = "seconds", .y_label = "ms", .log_y = true};
  latency.series = {latencies.begin(), latencies.end()};
  return html_figure(rate.title, svg_plot(rate), fmt::format("By the time of the answer, {:g} s a point.", length)) +
         html_figure(latency.title, svg_plot(latency), "Each point is for the answers of its slice of time.");
}

/// Where the mean latency goes, as far as this program sees it.
std::string stage_figure(const Report& report) {
  if (!report.open_loop || report.totals.latency.count() == 0) return {};
  const double whole = report.totals.latency.mean_ns();
  const double service = std::min(report.totals.service.mean_ns(), whole);
  const double late = std::min(report.totals.lateness.mean_ns(), whole - service);
  const std::array<std::pair<const char*, double>, 3> stages{
      {{"service", service}, {"waiting for a connection", whole - service - late}, {"generator's lateness", late}}};
  constexpr double width = 720;
  std::string svg = "<svg viewBox=\"0 0 720 24\" role=\"img\" aria-label=\"Stages of the mean latency\">\n";
  std::vector<std::vector<std::string>> rows;
  double x = 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const double share = whole > 0 ? stages[i].second / whole : 0;
    svg +=
        fmt::format("<rect x=\"{:.1f}\" y=\"2\" width=\"{:.1f}\" height=\"20\" class=\"c{}\"/>\n", x, share * width, i);
    x += share * width;
    rows.push_back({stages[i].first, figure_of(stages[i].second / 1e6), fmt::format("{:.1f} %", share * 100)});
  }
  return html_figure("Stages of the mean latency", svg + "</svg>\n", "From the left: the stages in the order below.") +
         html_table({"stage", "ms", "share"}, rows);
}

std::string problems(const Report& report) {
  std::string html;
  for (const std::string& sentence : report.missed) html += "<p class=\"bad\">Missed " + escaped(sentence) + "</p>\n";
  if (const std::string limit = report.limit(); !limit.empty()) {
    html += fmt::format("<p class=\"bad\">{}: these figures may be the generator's limit, not the server's.</p>\n",
                        escaped(limit));
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& entry : report.totals.errors.entries()) {
    if (entry.count != 0) rows.push_back({entry.name, fmt::format("{}", entry.count), entry.example});
  }
  if (!rows.empty()) html += "<h2>Errors</h2>\n" + html_table({"kind", "count", "the first one"}, rows);
  return html;
}

std::string load_of(const Report& report) {
  const std::string loop =
      report.open_loop
          ? "open loop at " + (report.arrivals.empty() ? fmt::format("{:g} requests/s", report.rate) : report.arrivals)
          : std::string("closed loop");
  return fmt::format("{}, {} connections, {} I/O threads; measured {:.3f} s after {:g} s of warm-up", loop,
                     report.connections, report.threads, report.seconds, report.warmup_seconds);
}

std::string subject_of(const Report& report) {
  return report.model.empty() ? fmt::format("{}, fixed bytes", report.url)
                              : fmt::format("{}, model {}, {}, {} rows a request", report.url, report.model,
                                            report.format, report.rows_per_request);
}

std::string heading(const std::string& title, const std::vector<std::string>& lines) {
  std::string html = "<h1>" + escaped(title) + "</h1>\n";
  for (const std::string& line : lines) html += "<p class=\"quiet\">" + escaped(line) + "</p>\n";
  return html;
}

Histogram merged_latency(const SideBySide& outcome, Report Pair::* side) {
  Histogram histogram;
  for (const Pair& pair : outcome.pairs) histogram.merge((pair.*side).totals.latency);
  return histogram;
}

}  // namespace

std::string report_html(const Report& report) {
  std::string body = heading("Load test", {subject_of(report), load_of(report)});
  body += fmt::format("<p><strong>{:.1f} requests/s</strong> succeeded, {} of {}; {:.1f} rows/s; {} errors.</p>\n",
                      report.throughput_rps(), report.totals.succeeded, report.totals.requests,
                      report.throughput_rows(), report.totals.errors.total());
  body += problems(report) + "<h2>Percentiles</h2>\n" + percentile_table(report);
  body += percentile_figure(
      {percentile_curve("latency", report.totals.latency), percentile_curve("service", report.totals.service)});
  return html_page("Load test of " + report.url, body + stage_figure(report) + series_figures(report));
}

std::string sweep_html(const Sweep& sweep) {
  Plot plot{.title = "Latency against throughput", .x_label = "succeeded requests/s", .y_label = "ms", .log_y = true};
  plot.series = {{"p50", {}, {}}, {"p99", {}, {}}};
  std::vector<std::vector<std::string>> rows;
  for (const SweepPoint& point : sweep.points) {
    const Histogram& latency = point.report.totals.latency;
    const double rate = point.report.throughput_rps();
    plot.series[0].points.emplace_back(rate, ms(latency.quantile_ns(0.5)));
    plot.series[0].labels.push_back(fmt::format("{:g}", point.level));
    plot.series[1].points.emplace_back(rate, ms(latency.quantile_ns(0.99)));
    std::vector<std::string> row{fmt::format("{:g}", point.level), fmt::format("{:.1f}", rate)};
    for (const auto& [key, quantile] : shown_quantiles) row.push_back(figure_of(ms(latency.quantile_ns(quantile))));
    row.push_back(fmt::format("{}", point.report.totals.errors.total()));
    rows.push_back(std::move(row));
  }
  const auto knee = sweep.knee();
  if (knee) plot.mark = {plot.series[0].points[knee->index].first, plot.series[0].points[knee->index].second, "knee"};
  std::vector<std::string> lines{"nothing was measured"};
  if (!sweep.points.empty()) lines = {subject_of(sweep.points.front().report)};
  const char* const unit = sweep.by_rate ? "requests/s asked for" : "connections";
  std::string body = heading("Load sweep", lines) + "<p><strong>" + escaped(sweep.verdict()) + "</strong></p>\n";
  for (const SweepPoint& point : sweep.points) {
    const std::string limit = point.report.limit();
    if (!limit.empty()) body += fmt::format("<p class=\"bad\">{:g}: {}</p>\n", point.level, escaped(limit));
    for (const std::string& sentence : point.report.missed) {
      body += fmt::format("<p class=\"bad\">{:g}: missed {}</p>\n", point.level, escaped(sentence));
    }
  }
  body += html_figure(plot.title, svg_plot(plot), fmt::format("The numbers beside the points are {}.", unit));
  body += "<h2>Levels</h2>\n" +
          html_table({unit, "succeeded/s", "p50 ms", "p90", "p99", "p99.9", "p99.99", "max", "errors"}, rows,
                     knee ? knee->index : rows.size());
  return html_page("Load sweep", body);
}

std::string side_by_side_html(const SideBySide& outcome) {
  if (outcome.pairs.empty()) return html_page("Comparison", heading("Comparison", {"nothing was measured"}));
  const Pair& first = outcome.pairs.front();
  std::string body = heading("Comparison of two servers",
                             {"A " + subject_of(first.a), "B " + subject_of(first.b), load_of(first.a) + ", each run"});
  body += "<pre>" + escaped(side_by_side_text(outcome)) + "</pre>\n";
  body += percentile_figure({percentile_curve("A", merged_latency(outcome, &Pair::a)),
                             percentile_curve("B", merged_latency(outcome, &Pair::b))});
  Plot plot{.title = "Throughput of each pair", .x_label = "pair", .y_label = "requests/s"};
  plot.series = {{"A", {}, {}}, {"B", {}, {}}};
  for (std::size_t i = 0; i < outcome.pairs.size(); ++i) {
    plot.series[0].points.emplace_back(static_cast<double>(i + 1), outcome.pairs[i].a.throughput_rps());
    plot.series[1].points.emplace_back(static_cast<double>(i + 1), outcome.pairs[i].b.throughput_rps());
  }
  body += html_figure(plot.title, svg_plot(plot), "Runs in the order in which they were made, A and B by turns first.");
  return html_page("Comparison of two servers", body + problems(first.a) + problems(first.b));
}

}  // namespace headrace::load
