#include "load/option_values.hpp"

#include <fmt/format.h>

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

}  // namespace

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
