#include "load/csv.hpp"

#include <fmt/format.h>

namespace headrace::load {
namespace {

std::string quoted(std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(field);
  std::string text = "\"";
  for (const char c : field) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + "\"";
}

std::string head_of(std::string_view name) {
  return fmt::format(",{0}_mean_us,{0}_p50_us,{0}_p90_us,{0}_p99_us,{0}_p99_9_us,{0}_p99_99_us,{0}_max_us", name);
}

std::string values_of(const Histogram& histogram) {
  std::string text = fmt::format(",{:.3f}", histogram.mean_ns() / 1e3);
  for (const double quantile : {0.5, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
    text += fmt::format(",{:.3f}", static_cast<double>(histogram.quantile_ns(quantile)) / 1e3);
  }
  return text;
}

}  // namespace

std::string csv_head() {
  return "run,url,model,format,loop,rate,connections,threads,seconds,requests,succeeded,rows,errors,throughput_rps,"
         "throughput_rows" +
         head_of("latency") + head_of("service") + head_of("lateness") + ",cpu_us_per_request,busy\n";
}

std::string csv_line(std::string_view run, const Report& report) {
  const Recorder& totals = report.totals;
  return fmt::format("{},{},{},{},{},{:g},{},{},{:.3f},{},{},{},{},{:.3f},{:.3f}", quoted(run), quoted(report.url),
                     quoted(report.model), report.format, report.open_loop ? "open" : "closed", report.rate,
                     report.connections, report.threads, report.seconds, totals.requests, totals.succeeded, totals.rows,
                     totals.errors.total(), report.throughput_rps(), report.throughput_rows()) +
         values_of(totals.latency) + values_of(totals.service) + values_of(totals.lateness) +
         fmt::format(",{:.3f},{:.3f}\n", report.cpu_us_per_request(), report.busy);
}

}  // namespace headrace::load
