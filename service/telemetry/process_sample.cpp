#include "service/telemetry/process_sample.hpp"

#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace headrace::telemetry {
namespace {

std::string contents(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  return value;
}

/// Descriptors of this process; reading the folder opens one more.
std::size_t count_open_fds() {
  std::error_code error;
  std::size_t count = 0;
  auto entry = std::filesystem::directory_iterator("/proc/self/fd", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) ++count;
  return count > 0 ? count - 1 : 0;
}

}  // namespace

std::optional<ProcStat> parse_proc_stat(std::string_view text) {
  // proc(5) numbers the fields from 1; the first after the bracketed name is number 3.
  constexpr std::size_t user = 14, system = 15, start = 22, resident = 24;
  const std::size_t bracket = text.rfind(')');
  if (bracket == std::string_view::npos) return std::nullopt;
  text.remove_prefix(bracket + 1);
  ProcStat stat;
  std::size_t field = 2;
  while (field < resident) {
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) return std::nullopt;
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    ++field;
    if (field != user && field != system && field != start && field != resident) continue;
    const auto value = number(word);
    if (!value) return std::nullopt;
    (field == user     ? stat.user_ticks
     : field == system ? stat.system_ticks
     : field == start  ? stat.start_ticks
                       : stat.resident_pages) = *value;
  }
  return stat;
}

std::optional<std::uint64_t> parse_boot_time(std::string_view text) {
  constexpr std::string_view key = "btime ";
  const std::size_t at = text.starts_with(key) ? 0 : text.find("\nbtime ");
  if (at == std::string_view::npos) return std::nullopt;
  return number(text.substr(text.find(key, at) + key.size()));
}

std::optional<ProcessSample> read_process_sample() {
  const auto stat = parse_proc_stat(contents("/proc/self/stat"));
  const auto booted = parse_boot_time(contents("/proc/stat"));
  const long ticks_per_second = ::sysconf(_SC_CLK_TCK);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (!stat || !booted || ticks_per_second <= 0 || page_bytes <= 0) return std::nullopt;
  const auto ticks = static_cast<double>(ticks_per_second);
  return ProcessSample{
      .cpu_seconds = static_cast<double>(stat->user_ticks + stat->system_ticks) / ticks,
      .resident_bytes = static_cast<double>(stat->resident_pages) * static_cast<double>(page_bytes),
      .open_fds = static_cast<double>(count_open_fds()),
      .start_time_seconds = static_cast<double>(*booted) + static_cast<double>(stat->start_ticks) / ticks,
  };
}

}  // namespace headrace::telemetry
