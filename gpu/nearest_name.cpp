#include "gpu/nearest_name.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace headrace::gpu {
namespace {

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Keys and names of a configuration are short; whatever is longer is not worth a quadratic comparison.
constexpr std::size_t compared_length_max = 64;

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string_view> nearest_name(std::string_view name, std::span<const std::string_view> known) {
  if (name.size() > compared_length_max) return std::nullopt;
  std::optional<std::string_view> nearest;
  std::size_t nearest_distance = 0;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance * 2 > std::max(name.size(), candidate.size())) continue;
    if (!nearest || distance < nearest_distance) {
      nearest = candidate;
      nearest_distance = distance;
    }
  }
  return nearest;
}

std::string nearest_name_hint(std::string_view name, std::span<const std::string_view> known) {
  if (known.empty()) return " (there are none)";
  std::string hint;
  if (const auto nearest = nearest_name(name, known)) hint = "; did you mean '" + std::string(*nearest) + "'?";
  hint += " (known: ";
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (i > 0) hint += ", ";
    hint += known[i];
  }
  return hint += ")";
}

}  // namespace headrace::gpu
