#include "load/side_by_side.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <utility>

#include "load/csv.hpp"
#include "load/objectives.hpp"
#include "load/run.hpp"
#include "proto/json_writer.hpp"

namespace headrace::load {
namespace {

struct Figure {
  const char* name;  // in JSON
  const char* title;
  double (*of)(const Report&);
};

template <int per_mille>
double latency_us(const Report& report) {
  return static_cast<double>(report.totals.latency.quantile_ns(per_mille / 1000.0)) / 1e3;
}

constexpr std::array<Figure, 5> figures{{
    {"throughput_rps", "requests/s", [](const Report& report) { return report.throughput_rps(); }},
    {"p50_us", "p50 us", latency_us<500>},
    {"p90_us", "p90 us", latency_us<900>},
    {"p99_us", "p99 us", latency_us<990>},
    {"p99_9_us", "p99.9 us", latency_us<999>},
}};

Spread spread_of_side(const SideBySide& outcome, const Figure& figure, Report Pair::* side) {
  std::vector<double> values;
  values.reserve(outcome.pairs.size());
  for (const Pair& pair : outcome.pairs) values.push_back(figure.of(pair.*side));
  return spread_of(values);
}

void add_spread(proto::JsonWriter& writer, std::string_view name, const Spread& spread) {
  writer.key(name).begin_object().unsigned_integer("count", spread.count);
  for (const auto& [key, value] :
       {std::pair("mean", spread.mean), std::pair("ci95_low", spread.low), std::pair("ci95_high", spread.high),
        std::pair("min", spread.min), std::pair("max", spread.max)}) {
    writer.key(key);
    fmt::format_to(std::back_inserter(writer.raw_value()), "{:.4f}", value);
  }
  writer.end_object();
}

}  // namespace

Spread SideBySide::ratio(const std::function<double(const Report&)>& figure) const {
  std::vector<double> ratios;
  for (const Pair& pair : pairs) {
    const double a = figure(pair.a);
    const double b = figure(pair.b);
    if (a > 0 && b > 0) ratios.push_back(b / a);
  }
  return ratio_spread_of(ratios);
}

Result<SideBySide> side_by_side(const CompareOptions& options, const std::atomic<bool>& stop) {
  RunOptions a = options.run;
  RunOptions b = options.run;
  a.target = options.a;
  b.target = options.b;
  SideBySide outcome;
  for (std::uint32_t i = 0; i < options.pairs; ++i) {
    const bool a_first = i % 2 == 0;
    auto first = run(a_first ? a : b, stop);
    if (!first) return fail(std::move(first.error()));
    auto second = run(a_first ? b : a, stop);
    if (!second) return fail(std::move(second.error()));
    if (stop.load(std::memory_order_relaxed)) break;
    if (!a_first) std::swap(*first, *second);
    for (Report* const report : {&*first, &*second}) report->missed = missed(options.run.objectives, *report);
    outcome.pairs.push_back({std::move(*first), std::move(*second)});
  }
  return outcome;
}

std::string side_by_side_text(const SideBySide& outcome) {
  if (outcome.pairs.empty()) return "no pair of runs was measured\n";
  std::string text = fmt::format("A {}\nB {}\n{} pairs of runs, each figure the mean over the runs\n\n",
                                 outcome.pairs.front().a.url, outcome.pairs.front().b.url, outcome.pairs.size());
  text += fmt::format("{:<12}{:>12}{:>12}{:>9}{:>19}{:>19}\n", "", "A", "B", "B / A", "95 % interval", "pairs");
  for (const Figure& figure : figures) {
    const Spread ratio = outcome.ratio(figure.of);
    text += fmt::format("{:<12}{:>12.1f}{:>12.1f}{:>9.3f}{:>19}{:>19}\n", figure.title,
                        spread_of_side(outcome, figure, &Pair::a).mean, spread_of_side(outcome, figure, &Pair::b).mean,
                        ratio.mean, fmt::format("{:.3f}..{:.3f}", ratio.low, ratio.high),
                        fmt::format("{:.3f}..{:.3f}", ratio.min, ratio.max));
  }
  std::uint64_t errors_a = 0;
  std::uint64_t errors_b = 0;
  for (const Pair& pair : outcome.pairs) {
    errors_a += pair.a.totals.errors.total();
    errors_b += pair.b.totals.errors.total();
  }
  return text + fmt::format("{:<12}{:>12}{:>12}\n", "errors", errors_a, errors_b);
}

std::string side_by_side_csv(const SideBySide& outcome) {
  std::string text = csv_head();
  for (const Pair& pair : outcome.pairs) text += csv_line("a", pair.a) + csv_line("b", pair.b);
  return text;
}

std::string side_by_side_json(const SideBySide& outcome) {
  std::string text;
  proto::JsonWriter writer(text);
  writer.begin_object().key("ratio_b_to_a").begin_object();
  for (const Figure& figure : figures) add_spread(writer, figure.name, outcome.ratio(figure.of));
  writer.end_object();
  for (const auto& [name, side] : {std::pair("a", &Pair::a), std::pair("b", &Pair::b)}) {
    writer.key(name).begin_object();
    for (const Figure& figure : figures) add_spread(writer, figure.name, spread_of_side(outcome, figure, side));
    writer.end_object();
  }
  writer.key("pairs").begin_array();
  for (const Pair& pair : outcome.pairs) {
    writer.begin_object();
    writer.key("a").raw_value() += report_json(pair.a);
    writer.key("b").raw_value() += report_json(pair.b);
    writer.end_object();
  }
  writer.end_array().end_object();
  return text + "\n";
}

}  // namespace headrace::load
