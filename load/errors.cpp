#include "load/errors.hpp"

#include <fmt/format.h>

namespace headrace::load {
namespace {

constexpr std::size_t example_bytes_max = 300;

}  // namespace

void Errors::Tally::add(std::uint64_t more, std::string_view text) {
  if (count == 0 && more != 0) example = text.substr(0, example_bytes_max);
  count += more;
}

void Errors::count(ErrorKind kind, std::string_view text) { kinds_[static_cast<std::size_t>(kind)].add(1, text); }

void Errors::count_status(unsigned status, std::string_view body) { statuses_[status].add(1, body); }

void Errors::merge(const Errors& other) {
  for (std::size_t i = 0; i < kinds_.size(); ++i) kinds_[i].add(other.kinds_[i].count, other.kinds_[i].example);
  for (const auto& [status, tally] : other.statuses_) statuses_[status].add(tally.count, tally.example);
}

std::uint64_t Errors::total() const noexcept {
  std::uint64_t total = 0;
  for (const Tally& tally : kinds_) total += tally.count;
  for (const auto& [status, tally] : statuses_) total += tally.count;
  return total;
}

std::vector<Errors::Entry> Errors::entries() const {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    entries.push_back({std::string(error_kind_names[i]), kinds_[i].count, kinds_[i].example});
  }
  for (const auto& [status, tally] : statuses_) {
    entries.push_back({fmt::format("http_{}", status), tally.count, tally.example});
  }
  return entries;
}

}  // namespace headrace::load
