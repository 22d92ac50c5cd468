#include "load/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "load/csv.hpp"
#include "load/objectives.hpp"
#include "load/run.hpp"
#include "proto/json_writer.hpp"

namespace headrace::load {
namespace {

double us(std::uint64_t ns) noexcept { return static_cast<double>(ns) / 1e3; }

double p50_us(const Report& report) { return us(report.totals.latency.quantile_ns(0.5)); }

RunOptions at_level(const SweepOptions& options, double level) {
  RunOptions run = options.run;
  if (options.by_rate) {
    run.arrivals.rate = level;
    run.arrivals_text.clear();
  } else {
    run.connections = static_cast<std::uint32_t>(level);
  }
  run.threads = std::min(run.threads, run.connections);
  return run;
}

}  // namespace

std::optional<Knee> Sweep::knee() const {
  std::vector<CurvePoint> curve;
  curve.reserve(points.size());
  for (const SweepPoint& point : points) curve.push_back({point.report.throughput_rps(), p50_us(point.report)});
  return find_knee(curve);
}

std::string Sweep::verdict() const {
  const char* const unit = by_rate ? "requests/s" : "connections";
  const auto found = knee();
  if (!found) return fmt::format("no knee: latency and throughput grew together over these {}", unit);
  const SweepPoint& at = points[found->index];
  const SweepPoint& last = points.back();
  const double gain = at.report.throughput_rps() > 0 ? last.report.throughput_rps() / at.report.throughput_rps() : 0;
  const double wait = p50_us(at.report) > 0 ? p50_us(last.report) / p50_us(at.report) : 0;
  return fmt::format(
      "knee at {:g} {}: {:.1f} requests/s at p50 {:.1f} us; from there to {:g} throughput changes {:.2f} times and p50 "
      "{:.2f} times",
      at.level, unit, at.report.throughput_rps(), p50_us(at.report), last.level, gain, wait);
}

Result<Sweep> sweep(const SweepOptions& options, const std::atomic<bool>& stop,
                    const std::function<void(const SweepPoint&)>& after_each) {
  Sweep result;
  result.by_rate = options.by_rate;
  for (const double level : options.levels) {
    auto report = run(at_level(options, level), stop);
    if (!report) return fail(std::move(report.error()));
    if (stop.load(std::memory_order_relaxed)) break;
    report->missed = missed(options.run.objectives, *report);
    result.points.push_back({level, std::move(*report)});
    after_each(result.points.back());
  }
  return result;
}

std::string sweep_head(bool by_rate) {
  return fmt::format("{:>12}{:>14}{:>11}{:>11}{:>11}{:>11}{:>11}{:>9}\n", by_rate ? "requests/s" : "connections",
                     "succeeded/s", "p50 us", "p90", "p99", "p99.9", "max", "errors");
}

std::string sweep_line(const SweepPoint& point) {
  const Histogram& latency = point.report.totals.latency;
  const std::string limit = point.report.limit();
  return fmt::format("{:>12g}{:>14.1f}{:>11.1f}{:>11.1f}{:>11.1f}{:>11.1f}{:>11.1f}{:>9}{}\n", point.level,
                     point.report.throughput_rps(), us(latency.quantile_ns(0.5)), us(latency.quantile_ns(0.9)),
                     us(latency.quantile_ns(0.99)), us(latency.quantile_ns(0.999)), us(latency.max_ns()),
                     point.report.totals.errors.total(),
                     (point.report.missed.empty() ? "" : "  MISSED") + (limit.empty() ? std::string() : "  " + limit));
}

std::string sweep_csv(const Sweep& sweep) {
  std::string text = csv_head();
  for (const SweepPoint& point : sweep.points) text += csv_line(fmt::format("{}", point.level), point.report);
  return text;
}

std::string sweep_json(const Sweep& sweep) {
  std::string text;
  proto::JsonWriter writer(text);
  writer.begin_object().string("by", sweep.by_rate ? "rate" : "concurrency").string("verdict", sweep.verdict());
  if (const auto knee = sweep.knee()) {
    writer.key("knee").begin_object().unsigned_integer("index", knee->index);
    writer.key("level");
    fmt::format_to(std::back_inserter(writer.raw_value()), "{}", sweep.points[knee->index].level);
    writer.key("distance");
    fmt::format_to(std::back_inserter(writer.raw_value()), "{:.4f}", knee->distance);
    writer.end_object();
  } else {
    writer.key("knee").raw_value() += "null";
  }
  writer.key("points").begin_array();
  for (const SweepPoint& point : sweep.points) {
    writer.begin_object().key("level");
    fmt::format_to(std::back_inserter(writer.raw_value()), "{}", point.level);
    writer.key("report").raw_value() += report_json(point.report);
    writer.end_object();
  }
  writer.end_array().end_object();
  return text + "\n";
}

}  // namespace headrace::load
