#include "load/bench/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "proto/json_writer.hpp"

namespace headrace::bench {

std::string Figures::text() const {
  std::string text = fmt::format("headrace-bench on {}{}\n", device, quick ? ", quick: not to be compared" : "");
  for (const Row& row : rows) {
    text += fmt::format("{:<11}{:<23}{:<13}", row.bench, row.what, row.way);
    for (const Figure& figure : row.figures) text += fmt::format(" {} {:.2f} ", figure.name, figure.value);
    text += row.note + "\n";
  }
  return text;
}

std::string Figures::json() const {
  std::string text;
  proto::JsonWriter writer(text);
  writer.begin_object().string("program", "headrace-bench").string("device", device).boolean("quick", quick);
  writer.key("rows").begin_array();
  for (const Row& row : rows) {
    writer.begin_object().string("bench", row.bench).string("case", row.what).string("way", row.way);
    writer.key("figures").begin_object();
    for (const Figure& figure : row.figures) {
      writer.key(figure.name);
      fmt::format_to(std::back_inserter(writer.raw_value()), "{:.3f}", figure.value);
    }
    writer.end_object().string("note", row.note).end_object();
  }
  writer.end_array().end_object();
  return text + "\n";
}

std::string bytes_text(std::size_t bytes) {
  constexpr std::size_t kib = 1024;
  constexpr std::size_t mib = kib * kib;
  if (bytes >= mib && bytes % mib == 0) return fmt::format("{}MiB", bytes / mib);
  if (bytes >= kib && bytes % kib == 0) return fmt::format("{}KiB", bytes / kib);
  return fmt::format("{}B", bytes);
}

double quantile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const double rank = std::ceil(share * static_cast<double>(values.size()));
  return values[std::min(values.size(), static_cast<std::size_t>(std::max(rank, 1.0))) - 1];
}

double median(std::vector<double> values) { return quantile(values, 0.5); }

}  // namespace headrace::bench
