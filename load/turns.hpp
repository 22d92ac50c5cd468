#pragma once
// Who may send the next request, and when: one thread's share of a run's plan. Pure.

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>

#include "load/clock.hpp"
#include "load/schedule.hpp"

namespace headrace::load {

/// The plan of a run, the same for all threads.
struct RunPlan {
  static constexpr std::uint64_t no_quota = std::numeric_limits<std::uint64_t>::max();

  TimePoint start;                    // of the warm-up
  TimePoint measured_from;
  TimePoint end = TimePoint::max();   // no request is planned or, in a closed loop, sent from here on
  Arrivals arrivals;                  // none: closed loop
};

struct Turn {
  TimePoint planned;      // closed loop: now
  bool measured = false;  // not part of the warm-up
};

class Turns {
 public:
  /// `quota`: measured requests of this share, or RunPlan::no_quota. `stop` is set from outside to end the run early.
  Turns(const RunPlan& plan, Schedule::Share share, std::uint64_t quota, const std::atomic<bool>& stop);

  /// The next request, or nothing when there is none left.
  std::optional<Turn> take(TimePoint now);

  bool open_loop() const noexcept { return schedule_.has_value(); }
  bool stopped() const noexcept { return stop_.load(std::memory_order_relaxed); }

 private:
  RunPlan plan_;
  std::optional<Schedule> schedule_;
  std::uint64_t quota_;
  const std::atomic<bool>& stop_;
};

}  // namespace headrace::load
