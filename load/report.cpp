#include "load/report.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <iterator>
#include <utility>

#include "load/spread.hpp"
#include "proto/json_writer.hpp"

namespace headrace::load {
namespace {

constexpr std::array<std::pair<const char*, double>, 5> quantiles{
    {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99_9", 0.999}, {"p99_99", 0.9999}}};

double us(std::uint64_t ns) noexcept { return static_cast<double>(ns) / 1e3; }

void add_number(proto::JsonWriter& writer, std::string_view name, double value) {
  writer.key(name);
  fmt::format_to(std::back_inserter(writer.raw_value()), "{:.3f}", value);
}

void add_histogram(proto::JsonWriter& writer, std::string_view name, const Histogram& histogram) {
  writer.key(name).begin_object();
  add_number(writer, "mean", histogram.mean_ns() / 1e3);
  for (const auto& [key, quantile] : quantiles) add_number(writer, key, us(histogram.quantile_ns(quantile)));
  add_number(writer, "max", us(histogram.max_ns()));
  writer.end_object();
}

void add_errors(proto::JsonWriter& writer, const Errors& errors) {
  const auto entries = errors.entries();
  writer.key("errors").begin_object().unsigned_integer("total", errors.total());
  for (const auto& entry : entries) writer.unsigned_integer(entry.name, entry.count);
  writer.end_object();
  writer.key("error_examples").begin_object();
  for (const auto& entry : entries) {
    if (entry.count != 0) writer.string(entry.name, entry.example);
  }
  writer.end_object();
}

void add_settings(proto::JsonWriter& writer, const Report& report) {
  writer.key("settings").begin_object();
  writer.string("url", report.url).string("model", report.model).string("format", report.format);
  writer.string("rows_per_request", report.rows_per_request).string("loop", report.open_loop ? "open" : "closed");
  add_number(writer, "rate", report.rate);
  writer.string("arrivals", report.arrivals);
  writer.unsigned_integer("connections", report.connections).unsigned_integer("threads", report.threads);
  add_number(writer, "warmup_seconds", report.warmup_seconds);
  writer.end_object();
}

void add_series(proto::JsonWriter& writer, const Timeline& timeline) {
  writer.key("series").begin_object();
  add_number(writer, "slice_seconds", std::chrono::duration<double>(timeline.slice_length()).count());
  writer.key("succeeded").begin_array();
  for (const auto& slice : timeline.slices()) writer.unsigned_integer(slice.succeeded);
  writer.end_array().key("errors").begin_array();
  for (const auto& slice : timeline.slices()) writer.unsigned_integer(slice.errors);
  writer.end_array();
  for (const auto& [name, quantile] : {std::pair("p50_us", 0.5), std::pair("p99_us", 0.99), std::pair("max_us", 1.0)}) {
    writer.key(name).begin_array();
    for (const auto& slice : timeline.slices()) {
      fmt::format_to(std::back_inserter(writer.raw_value()), "{:.3f}", us(slice.quantile_ns(quantile)));
    }
    writer.end_array();
  }
  writer.end_object();
}

struct RepeatedFigure {
  const char* name;  // in JSON
  const char* title;
  double Report::Repeat::* value;
};

constexpr std::array<RepeatedFigure, 4> repeated_figures{
    {{"throughput_rps", "requests/s", &Report::Repeat::throughput_rps},
     {"p50_us", "p50 us", &Report::Repeat::p50_us},
     {"p99_us", "p99 us", &Report::Repeat::p99_us},
     {"p99_9_us", "p99.9 us", &Report::Repeat::p99_9_us}}};

Spread spread_over_runs(const Report& report, double Report::Repeat::* value) {
  std::vector<double> values;
  values.reserve(report.repeats.size());
  for (const Report::Repeat& repeat : report.repeats) values.push_back(repeat.*value);
  return spread_of(values);
}

void add_repeats(proto::JsonWriter& writer, const Report& report) {
  if (report.repeats.empty()) return;
  writer.key("repeats").begin_object().unsigned_integer("count", report.repeats.size());
  for (const RepeatedFigure& figure : repeated_figures) {
    const Spread spread = spread_over_runs(report, figure.value);
    writer.key(figure.name).begin_object();
    add_number(writer, "mean", spread.mean);
    add_number(writer, "ci95_low", spread.low);
    add_number(writer, "ci95_high", spread.high);
    add_number(writer, "min", spread.min);
    add_number(writer, "max", spread.max);
    writer.end_object();
  }
  writer.end_object();
}

std::string repeats_text(const Report& report) {
  if (report.repeats.empty()) return {};
  std::string text = fmt::format("{:<12}{:>11}{:>24}{:>24}\n", fmt::format("{} runs", report.repeats.size()), "mean",
                                 "95 % interval", "runs");
  for (const RepeatedFigure& figure : repeated_figures) {
    const Spread spread = spread_over_runs(report, figure.value);
    text += fmt::format("{:<12}{:>11.1f}{:>24}{:>24}\n", figure.title, spread.mean,
                        fmt::format("{:.1f}..{:.1f}", spread.low, spread.high),
                        fmt::format("{:.1f}..{:.1f}", spread.min, spread.max));
  }
  return text + "\n";
}

std::string table_row(std::string_view name, const Histogram& histogram) {
  std::string row = fmt::format("{:<12}{:>11.1f}", name, histogram.mean_ns() / 1e3);
  for (const auto& [key, quantile] : quantiles) row += fmt::format("{:>11.1f}", us(histogram.quantile_ns(quantile)));
  return row + fmt::format("{:>11.1f}\n", us(histogram.max_ns()));
}

bool is_allowed(const std::string& name, const std::set<std::string>& allowed) {
  if (allowed.contains(name)) return true;
  constexpr std::size_t class_digit = 5;
  return name.starts_with("http_") && allowed.contains(name.substr(0, class_digit + 1) + "xx");
}

}  // namespace

double Report::throughput_rps() const noexcept {
  return seconds > 0 ? static_cast<double>(totals.succeeded) / seconds : 0;
}

double Report::throughput_rows() const noexcept { return seconds > 0 ? static_cast<double>(totals.rows) / seconds : 0; }

double Report::cpu_us_per_request() const noexcept {
  return totals.all_requests == 0 ? 0 : cpu_seconds * 1e6 / static_cast<double>(totals.all_requests);
}

std::string Report::limit() const {
  const std::uint64_t lateness_p99 = totals.lateness.quantile_ns(0.99);
  if (lateness_p99 > lateness_p99_ns_max) {
    return fmt::format("the generator sent late by itself (p99 {:.0f} us, bound {:.0f} us)", us(lateness_p99),
                       us(lateness_p99_ns_max));
  }
  if (busy > busy_max) return fmt::format("a thread of the generator was busy {:.0f} % of the time", busy * 100);
  return {};
}

bool Report::failed(const std::set<std::string>& allowed) const {
  for (const auto& entry : totals.errors.entries()) {
    if (entry.count != 0 && !is_allowed(entry.name, allowed)) return true;
  }
  return totals.requests == 0;
}

std::string report_text(const Report& report) {
  const Recorder& totals = report.totals;
  std::string text = fmt::format("{}  {}\n", report.url,
                                 report.model.empty() ? std::string("fixed bytes")
                                                      : fmt::format("model {}, {}, {} rows a request", report.model,
                                                                    report.format, report.rows_per_request));
  text += report.open_loop
              ? fmt::format("open loop at {}, up to {} connections",
                            report.arrivals.empty() ? fmt::format("{:g} requests/s", report.rate) : report.arrivals,
                            report.connections)
              : fmt::format("closed loop, {} connections", report.connections);
  text += fmt::format(", {} I/O threads; measured {:.3f} s after {:g} s of warm-up\n\n", report.threads, report.seconds,
                      report.warmup_seconds);
  text += fmt::format("requests    {:>11}  {:>13.1f}/s succeeded\n", totals.requests, report.throughput_rps());
  if (!report.model.empty()) {
    text += fmt::format("rows        {:>11}  {:>13.1f}/s\n", totals.rows, report.throughput_rows());
  }
  text += fmt::format("errors      {:>11}\n\n", totals.errors.total());
  text += fmt::format("{:<12}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}\n", "us", "mean", "p50", "p90", "p99", "p99.9",
                      "p99.99", "max");
  text += table_row("latency", totals.latency) + table_row("service", totals.service);
  if (report.open_loop) text += table_row("lateness", totals.lateness);
  text += '\n' + repeats_text(report);
  for (const auto& entry : totals.errors.entries()) {
    if (entry.count != 0) text += fmt::format("error {:<18}{:>8}  first: {}\n", entry.name, entry.count, entry.example);
  }
  text += fmt::format("generator: {:.2f} us of processor time a request, busiest thread {:.0f} %\n",
                      report.cpu_us_per_request(), report.busy * 100);
  if (report.checked) text += fmt::format("checked: {} answers compared\n", totals.compared);
  if (report.input_rows_covered < report.input_rows) {
    text += fmt::format("note: only the first {} of {} input rows were used\n", report.input_rows_covered,
                        report.input_rows);
  }
  if (totals.waited != 0) {
    text += fmt::format("note: {} requests waited for a connection; latency counts that, --connections allows more\n",
                        totals.waited);
  }
  if (totals.reconnects != 0) text += fmt::format("note: {} connections had to be opened again\n", totals.reconnects);
  for (const std::string& sentence : report.missed) text += fmt::format("MISSED: {}\n", sentence);
  if (const std::string limit = report.limit(); !limit.empty()) {
    text += fmt::format("{}: {}: these figures may be the generator's limit, not the server's\n",
                        report.open_loop ? "FAILED" : "WARNING", limit);
  }
  return text;
}

std::string report_json(const Report& report) {
  const Recorder& totals = report.totals;
  std::string text;
  proto::JsonWriter writer(text);
  writer.begin_object();
  writer.unsigned_integer("requests", totals.requests).unsigned_integer("succeeded", totals.succeeded);
  writer.unsigned_integer("rows", totals.rows);
  add_number(writer, "seconds", report.seconds);
  add_number(writer, "throughput_rps", report.throughput_rps());
  add_number(writer, "throughput_rows", report.throughput_rows());
  add_errors(writer, totals.errors);
  add_histogram(writer, "latency_us", totals.latency);
  add_histogram(writer, "service_us", totals.service);
  add_histogram(writer, "lateness_us", totals.lateness);
  writer.unsigned_integer("compared", totals.compared).unsigned_integer("waited_for_connection", totals.waited);
  writer.unsigned_integer("reconnects", totals.reconnects);
  writer.key("generator").begin_object();
  add_number(writer, "cpu_us_per_request", report.cpu_us_per_request());
  add_number(writer, "busy", report.busy);
  writer.string("limit", report.limit()).end_object();
  writer.key("slo_missed").begin_array();
  for (const std::string& sentence : report.missed) writer.string(sentence);
  writer.end_array();
  add_repeats(writer, report);
  add_series(writer, totals.timeline);
  add_settings(writer, report);
  writer.end_object();
  return text + "\n";
}

}  // namespace headrace::load
