#pragma once
// What the kernel says about this process, read when somebody asks.

#include <cstdint>
#include <optional>
#include <string_view>

namespace headrace::telemetry {

struct ProcessSample {
  double cpu_seconds = 0;         // user and system
  double resident_bytes = 0;
  double open_fds = 0;            // without the one used to count them
  double start_time_seconds = 0;  // since the epoch
};

/// From /proc/self and /proc/stat; nothing where they cannot be read.
std::optional<ProcessSample> read_process_sample();

/// The fields of /proc/self/stat that are used. Pure.
struct ProcStat {
  std::uint64_t user_ticks = 0;
  std::uint64_t system_ticks = 0;
  std::uint64_t start_ticks = 0;  // since boot
  std::uint64_t resident_pages = 0;
};
/// The program's own name, in the second field, may hold blanks and brackets.
std::optional<ProcStat> parse_proc_stat(std::string_view text);
/// The line `btime N` of /proc/stat: boot time in seconds since the epoch.
std::optional<std::uint64_t> parse_boot_time(std::string_view text);

}  // namespace headrace::telemetry
