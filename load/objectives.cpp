#include "load/objectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "load/option_values.hpp"

namespace headrace::load {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 6> latencies{
    {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}, {"max", 1}}};

std::optional<double> parse_number(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  const bool good = error == std::errc{} && stop == end && std::isfinite(number) && number >= 0;
  return good ? std::optional(number) : std::nullopt;
}

Result<Objective> parse_objective(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
  Objective objective{.text = std::string(text)};
  for (const auto& [known, quantile] : latencies) {
    if (name != known) continue;
    const auto bound = parse_duration(value);
    if (!bound) return fail(fmt::format("{}: {}", name, bound.error()));
    objective.quantile = quantile;
    objective.bound = static_cast<double>(bound->count());
    return objective;
  }
  const bool share = name == "errors" && value.ends_with('%');
  const auto number = parse_number(share ? value.substr(0, value.size() - 1) : value);
  if (name == "errors" && number) {
    objective.kind = share ? Objective::Kind::error_share : Objective::Kind::errors;
    objective.bound = share ? *number / 100 : *number;
    return objective;
  }
  if (name == "throughput" && number) {
    objective.kind = Objective::Kind::throughput;
    objective.bound = *number;
    return objective;
  }
  return fail(
      fmt::format("expected p50, p90, p99, p99.9, p99.99 or max = a duration, errors = N or N%, or throughput = "
                  "requests/s, got '{}'",
                  text));
}

std::string miss(const Objective& objective, const Report& report) {
  const Recorder& totals = report.totals;
  const auto errors = static_cast<double>(totals.errors.total());
  const auto requests = static_cast<double>(totals.requests);
  switch (objective.kind) {
    case Objective::Kind::latency: {
      const auto ns = static_cast<double>(totals.latency.quantile_ns(objective.quantile));
      if (totals.latency.count() != 0 && ns <= objective.bound) return {};
      return fmt::format("{}: the latency was {:.1f} us", objective.text, ns / 1e3);
    }
    case Objective::Kind::errors:
      if (requests > 0 && errors <= objective.bound) return {};
      return fmt::format("{}: {} of {} requests went wrong", objective.text, errors, requests);
    case Objective::Kind::error_share:
      if (requests > 0 && errors <= objective.bound * requests) return {};
      return fmt::format("{}: {} of {} requests went wrong", objective.text, errors, requests);
    case Objective::Kind::throughput:
      if (requests > 0 && report.throughput_rps() >= objective.bound) return {};
      return fmt::format("{}: {:.1f} requests/s succeeded", objective.text, report.throughput_rps());
  }
  return {};
}

}  // namespace

Result<std::vector<Objective>> parse_objectives(std::string_view text) {
  std::vector<Objective> objectives;
  for (;;) {
    const std::size_t comma = text.find(',');
    auto objective = parse_objective(text.substr(0, comma));
    if (!objective) return fail(std::move(objective.error()));
    objectives.push_back(std::move(*objective));
    if (comma == std::string_view::npos) return objectives;
    text.remove_prefix(comma + 1);
  }
}

std::vector<std::string> missed(const std::vector<Objective>& objectives, const Report& report) {
  std::vector<std::string> sentences;
  for (const Objective& objective : objectives) {
    if (std::string sentence = miss(objective, report); !sentence.empty()) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

bool bounds_errors(const std::vector<Objective>& objectives) noexcept {
  return std::any_of(objectives.begin(), objectives.end(), [](const Objective& objective) {
    return objective.kind == Objective::Kind::errors || objective.kind == Objective::Kind::error_share;
  });
}

}  // namespace headrace::load
