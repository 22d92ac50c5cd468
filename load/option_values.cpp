#include "load/option_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace headrace::load {
namespace {

constexpr double duration_seconds_max = 366.0 * 24 * 3600;
constexpr std::array<std::pair<std::string_view, double>, 7> units{
    {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"m", 60}, {"h", 3600}}};

bool parse_count(std::string_view text, std::uint32_t& count) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  return error == std::errc{} && stop == end && count >= 1;
}

/// "A,B,…" or "A..B", each number above 0, at most `max` and larger than the one before it; empty when it is not.
std::vector<double> ascending_numbers(std::string_view text, std::string_view separator, double max) {
  std::vector<double> numbers;
  for (;;) {
    const std::size_t at = text.find(separator);
    const std::string_view part = text.substr(0, at);
    double number = 0;
    const char* const end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data(), end, number);
    const bool good = error == std::errc{} && stop == end && std::isfinite(number) && number > 0 && number <= max;
    if (!good || (!numbers.empty() && number <= numbers.back())) return {};
    numbers.push_back(number);
    if (at == std::string_view::npos) return numbers;
    text.remove_prefix(at + separator.size());
  }
}

}  // namespace

Result<std::vector<double>> parse_concurrency_levels(std::string_view text, std::uint32_t max) {
  const bool range = text.find("..") != std::string_view::npos;
  std::vector<double> levels = ascending_numbers(text, range ? ".." : ",", max);
  const bool whole = std::all_of(levels.begin(), levels.end(), [](double level) { return level == std::floor(level); });
  if (levels.empty() || !whole || (range && levels.size() != 2)) {
    return fail(fmt::format("expected A,B,… or A..B, ascending whole numbers from 1 to {}, got '{}'", max, text));
  }
  if (!range) return levels;
  const double last = levels.back();
  levels.pop_back();
  while (levels.back() * 2 < last) levels.push_back(levels.back() * 2);
  levels.push_back(last);
  return levels;
}

Result<std::vector<double>> parse_rate_levels(std::string_view text) {
  constexpr double rate_max = 1e9;
  const bool range = text.find("..") != std::string_view::npos;
  std::vector<double> levels = ascending_numbers(text, range ? ".." : ",", rate_max);
  if (levels.empty() || (range && levels.size() != 2)) {
    return fail(fmt::format("expected A,B,… or A..B, ascending, above 0 and at most 1e9, got '{}'", text));
  }
  if (!range) return levels;
  constexpr int steps = 9;
  const double first = levels.front();
  const double width = (levels.back() - first) / steps;
  levels.clear();
  for (int i = 0; i <= steps; ++i) levels.push_back(first + width * i);
  return levels;
}

Result<Duration> parse_duration(std::string_view text, bool zero_allowed) {
  const auto wrong = [&] {
    return fail(
        fmt::format("expected a duration such as 10s, 500ms or 2m{}, got '{}'", zero_allowed ? "" : ", above 0", text));
  };
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(number) || number < 0) return wrong();
  const std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  for (const auto& [name, seconds] : units) {
    if (unit != name) continue;
    if (number * seconds > duration_seconds_max) return wrong();
    const Duration duration(std::llround(number * seconds * 1e9));
    if (duration == Duration::zero() && !zero_allowed) return wrong();
    return duration;
  }
  return wrong();
}

Result<RowRange> parse_row_range(std::string_view text) {
  const auto wrong = [text](std::string_view why) {
    return fail(fmt::format("expected rows as N or A..B, got '{}': {}", text, why));
  };
  RowRange range;
  const std::size_t dots = text.find("..");
  if (!parse_count(text.substr(0, dots), range.min)) return wrong("a number from 1 to 4294967295 is missing");
  if (dots == std::string_view::npos) {
    range.max = range.min;
    return range;
  }
  if (!parse_count(text.substr(dots + 2), range.max)) {
    return wrong("a number from 1 to 4294967295 is missing after '..'");
  }
  if (range.max < range.min) return wrong("the second number is smaller than the first");
  return range;
}

}  // namespace headrace::load
