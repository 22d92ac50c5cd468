#pragma once
// The outcome of a run, for people and for programs. Pure.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "load/recorder.hpp"

namespace headrace::load {

struct Report {
  /// Above this the generator did not keep its own plan: the 99th percentile of its lateness.
  static constexpr std::uint64_t lateness_p99_ns_max = 1'000'000;
  /// Above this share of a core an I/O thread of the generator may have been the limit.
  static constexpr double busy_max = 0.95;

  /// The figures of one of several runs.
  struct Repeat {
    double throughput_rps = 0;
    double p50_us = 0;
    double p99_us = 0;
    double p99_9_us = 0;
  };

  std::string url;
  std::string model;        // empty: fixed bytes were sent
  std::string format;
  std::string rows_per_request;
  bool open_loop = false;
  std::string arrivals;     // of an open loop, for people; empty: constant at `rate`
  double rate = 0;          // planned requests a second, on average over the measured part; 0: closed loop
  std::uint32_t connections = 0;
  std::uint32_t threads = 0;
  double warmup_seconds = 0;
  std::size_t input_rows = 0;          // of the input; 0: none
  std::size_t input_rows_covered = 0;  // of them in some prepared request
  bool checked = false;

  Recorder totals;
  double seconds = 0;       // that were measured
  double cpu_seconds = 0;   // of this process, warm-up included
  double busy = 0;          // of the busiest I/O thread
  std::vector<Repeat> repeats;      // of each run, where there were several
  std::vector<std::string> missed;  // objectives, one sentence each

  double throughput_rps() const noexcept;
  double throughput_rows() const noexcept;
  double cpu_us_per_request() const noexcept;
  /// Why the figures may say more about this program than about the server; empty when they do not.
  std::string limit() const;
  /// Whether that makes the run worthless: an open loop promises to keep its plan, a closed loop does not.
  bool generator_failed() const { return open_loop && !limit().empty(); }
  /// Whether anything but `allowed` (names as in Errors, http_4xx, http_5xx) went wrong, or nothing was measured.
  bool failed(const std::set<std::string>& allowed) const;
};

std::string report_text(const Report& report);
/// One JSON object; its names are described in this folder's README.
std::string report_json(const Report& report);

}  // namespace headrace::load
