#pragma once
// What one thread measured; merged at the end of a run. Plain data, no locks.

#include <algorithm>
#include <cstdint>

#include "load/clock.hpp"
#include "load/errors.hpp"
#include "load/histogram.hpp"
#include "load/timeline.hpp"

namespace headrace::load {

struct Recorder {
  Histogram latency;   // of answers and timeouts, from the time the request should have left
  Histogram service;   // the same, from the time it did leave
  Histogram lateness;  // open loop: how late this program itself sent each request
  Timeline timeline;   // of the measured part, by the time an answer came or an error showed
  Errors errors;
  std::uint64_t requests = 0;   // that ended within the measured part, well or not
  std::uint64_t succeeded = 0;
  std::uint64_t rows = 0;       // of the succeeded
  std::uint64_t compared = 0;   // answers whose values were compared
  std::uint64_t waited = 0;     // open loop: requests that found every connection busy
  std::uint64_t reconnects = 0;
  std::uint64_t all_requests = 0;  // warm-up included
  TimePoint last_end{};

  void merge(const Recorder& other) {
    latency.merge(other.latency);
    service.merge(other.service);
    lateness.merge(other.lateness);
    timeline.merge(other.timeline);
    errors.merge(other.errors);
    requests += other.requests;
    succeeded += other.succeeded;
    rows += other.rows;
    compared += other.compared;
    waited += other.waited;
    reconnects += other.reconnects;
    all_requests += other.all_requests;
    last_end = std::max(last_end, other.last_end);
  }
};

}  // namespace headrace::load
