#include "load/arrivals_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>

namespace headrace::load {
namespace {

constexpr double rate_max = 1e9;
constexpr double seconds_max = 1e9;

std::optional<double> parse_number(std::string_view text, double max) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool good = error == std::errc{} && stop == end && std::isfinite(number) && number >= 0 && number <= max;
  return good ? std::optional(number) : std::nullopt;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + separator.size());
  }
}

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view blank = " \t\r";
  const std::size_t first = line.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(blank) - first + 1);
}

Arrivals shaped(const std::vector<double>& rates, bool ramp, Duration warmup, Duration length) {
  Arrivals arrivals;
  if (rates.size() == 1) {
    arrivals.rate = rates.front();
    return arrivals;
  }
  if (warmup > Duration::zero()) arrivals.segments.push_back({warmup, rates.front(), rates.front()});
  if (ramp) {
    arrivals.segments.push_back({length, rates.front(), rates.back()});
    return arrivals;
  }
  const auto parts = static_cast<std::int64_t>(rates.size());
  for (const double rate : rates) arrivals.segments.push_back({length / parts, rate, rate});
  return arrivals;
}

}  // namespace

Result<Arrivals> parse_rate(std::string_view text, Duration warmup, Duration length) {
  const bool ramp = text.find("..") != std::string_view::npos;
  std::vector<double> rates;
  double most = 0;
  for (const std::string_view part : split(text, ramp ? ".." : ",")) {
    const auto rate = parse_number(part, rate_max);
    if (!rate) {
      return fail(fmt::format("expected N, A..B or A,B,… requests a second, each at most 1e9, got '{}'", text));
    }
    rates.push_back(*rate);
    most = std::max(most, *rate);
  }
  if (ramp && rates.size() != 2) return fail(fmt::format("expected A..B for a ramp, got '{}'", text));
  if (most <= 0) return fail(fmt::format("expected requests a second, above 0 and at most 1e9, got '{}'", text));
  if (rates.size() > 1 && length <= Duration::zero()) {
    return fail(fmt::format("'{}' changes over the --duration; with --requests the rate is constant", text));
  }
  return shaped(rates, ramp, warmup, length);
}

Result<std::vector<Duration>> parse_time_stamps(std::string_view text) {
  std::vector<double> stamps;
  std::size_t number = 0;
  for (const std::string_view whole : split(text, "\n")) {
    ++number;
    const std::string_view line = trimmed(whole);
    if (line.empty() || line.front() == '#') continue;
    constexpr double epoch_seconds_max = 1e11;
    const auto seconds = parse_number(line, epoch_seconds_max);
    if (!seconds) return fail(fmt::format("line {}: expected a time in seconds, got '{}'", number, line));
    if (!stamps.empty() && *seconds < stamps.back()) {
      return fail(fmt::format("line {}: {} is before the line above it; times must ascend", number, line));
    }
    stamps.push_back(*seconds);
  }
  if (stamps.empty()) return fail("holds no time stamps");
  if (stamps.back() - stamps.front() > seconds_max) return fail("spans more than 1e9 seconds");
  std::vector<Duration> times;
  times.reserve(stamps.size());
  for (const double stamp : stamps) times.emplace_back(std::llround((stamp - stamps.front()) * 1e9));
  return times;
}

Result<std::vector<Duration>> read_time_stamps(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) return fail(fmt::format("{}: cannot be read", path));
  auto times = parse_time_stamps(text);
  if (!times) return fail(fmt::format("{}: {}", path, times.error()));
  return times;
}

}  // namespace headrace::load
