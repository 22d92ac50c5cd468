#include "load/html_report.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "load/svg_plot.hpp"

namespace headrace::load {
namespace {

/// What keeps a document from being well-formed: a tag that is not closed by its own name. Empty: nothing.
std::string first_fault(std::string_view html) {
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string_view::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find('>', at);
    if (end == std::string_view::npos) return "a tag without end";
    const std::string_view tag = html.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string_view::npos) return "a < within " + std::string(tag);
    if (tag.starts_with('!') || tag.ends_with('/')) continue;
    if (!tag.starts_with('/')) {
      open.emplace_back(tag.substr(0, tag.find(' ')));
      continue;
    }
    if (open.empty() || open.back() != tag.substr(1)) return "an unexpected <" + std::string(tag) + ">";
    open.pop_back();
  }
  return open.empty() ? std::string() : "<" + open.back() + "> stays open";
}

void expect_self_contained(const std::string& html) {
  EXPECT_EQ(first_fault(html), "");
  for (const char* outside : {"<script", "src=", "href=", "url(", "@import", "nan", "inf,"}) {
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
  }
  for (const char* part : {"prefers-color-scheme: dark", "@media print", "viewport", "<title>"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part;
  }
}

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

Report sample(std::uint64_t factor = 1) {
  Report report;
  report.url = "http://h:1";
  report.model = "<m & \"n\">";
  report.open_loop = true;
  report.rate = 100;
  report.seconds = 3;
  report.totals.timeline.start(TimePoint{});
  for (std::uint64_t i = 1; i <= 300; ++i) {
    report.totals.latency.record(i * 1000 * factor);
    report.totals.service.record(i * 500 * factor);
    report.totals.lateness.record(100);
    report.totals.timeline.add_success(TimePoint(std::chrono::milliseconds(i * 10 - 1)), i * 1000 * factor);
  }
  report.totals.requests = report.totals.succeeded = 300;
  return report;
}

TEST(HtmlReport, OfARunIsOneWholeFile) {
  Report report = sample();
  report.totals.errors.count_status(429, "<script>");
  report.missed = {"p99=1us: no"};
  const std::string html = report_html(report);
  expect_self_contained(html);
  EXPECT_EQ(count_of(html, "<svg"), 4U);  // percentiles, stages, throughput and latency over time
  EXPECT_NE(html.find("&lt;m &amp; &quot;n&quot;&gt;"), std::string::npos);
  EXPECT_NE(html.find("Missed p99=1us"), std::string::npos);
}

TEST(HtmlReport, OfNothingIsStillAFile) {
  expect_self_contained(report_html(Report{}));
  expect_self_contained(sweep_html(Sweep{}));
  expect_self_contained(side_by_side_html(SideBySide{}));
}

TEST(HtmlReport, OfASweepMarksTheKnee) {
  Sweep sweep;
  for (const auto& [level, seconds, factor] : {std::tuple(1.0, 4.0, 1U), {2.0, 2.0, 1U}, {4.0, 1.9, 2U}}) {
    SweepPoint point{level, sample(factor)};
    point.report.seconds = seconds;
    sweep.points.push_back(std::move(point));
  }
  const std::string html = sweep_html(sweep);
  expect_self_contained(html);
  EXPECT_NE(html.find("class=\"mark\""), std::string::npos);
  EXPECT_EQ(count_of(html, "<tr class=\"marked\"><td>2</td>"), 1U);
}

TEST(HtmlReport, OfAComparisonShowsBoth) {
  SideBySide outcome;
  outcome.pairs.push_back({sample(1), sample(2)});
  const std::string html = side_by_side_html(outcome);
  expect_self_contained(html);
  EXPECT_EQ(count_of(html, "<svg"), 2U);
}

TEST(SvgPlot, PointsStayWithinThePicture) {
  Plot plot{.title = "t", .x_label = "x", .y_label = "y", .log_y = true};
  plot.series = {{"s", {{0, 1}, {5, 0}, {10, 1000}}, {}}};  // the second cannot be drawn
  const std::string svg = svg_plot(plot);
  EXPECT_EQ(first_fault(svg), "");
  EXPECT_EQ(count_of(svg, "<circle"), 2U);
  plot.series.clear();
  EXPECT_NE(svg_plot(plot).find("nothing to draw"), std::string::npos);
}

TEST(SvgPlot, TicksAreRoundNumbers) {
  EXPECT_EQ(linear_ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(linear_ticks(0, 0, 5), (std::vector<double>{0}));
  EXPECT_EQ(linear_ticks(30, 99, 4), (std::vector<double>{40, 60, 80}));
  EXPECT_EQ(log_ticks(1, 10, 9), (std::vector<double>{1, 2, 5, 10}));
  EXPECT_EQ(log_ticks(1, 1e6, 9).size(), 7U);
  EXPECT_EQ(short_number(1234567), "1.23M");
  EXPECT_EQ(short_number(0.05), "0.05");
  EXPECT_EQ(short_number(2000), "2000");
}

}  // namespace
}  // namespace headrace::load
