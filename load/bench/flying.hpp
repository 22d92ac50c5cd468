#pragma once
// Batches through a ring, timed: one in the air at a time, or all slots at once. The measuring thread spins, as the raw
// programs do that the figures are held against.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/staging_ring.hpp"
#include "load/bench/request_set.hpp"

namespace headrace::bench {

using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;

/// Where one flight at a time lands.
class Landing final : public gpu::FlightObserver {
 public:
  void on_flight_done(const gpu::FlightResult& result) noexcept override;
  /// Spins until the notice has come, and makes ready for the next. The result is good until then. With a device this
  /// thread looks for the landing of its attended flight itself.
  const gpu::FlightResult& wait(gpu::Device* attended = nullptr);
  Clock::time_point landed_at() const noexcept { return landed_at_; }

 private:
  std::atomic<bool> done_{false};
  Clock::time_point landed_at_;
  gpu::FlightResult result_;
};

struct FlightSamples {
  std::vector<double> submit_us;  // the host's time inside submit()
  std::vector<double> notice_us;  // from submit() to the notice
  std::vector<double> pack_us, h2d_us, kernel_us, d2h_us;
  gpu::Transfer transfer = gpu::Transfer::in_place;  // how the last one went
  std::uint64_t host_copied_bytes = 0;  // of the last one
};

struct Pace {
  double seconds = 0.3;  // for so long, and at least `flights_min`
  std::uint32_t flights_min = 20;
  std::chrono::microseconds pause{0};  // of the measuring thread, between a notice and the next submit
  bool attended = false;  // the measuring thread looks for landings itself
};

// Both throw std::runtime_error when a flight fails or an answer is wrong; every slot is free then.

/// Slot 0 only, each flight after the notice of the one before.
FlightSamples fly_one_at_a_time(gpu::StagingRing& ring, const RequestSet& requests, const Pace& pace);

/// All slots, `sets[i]` on slot i; each slot takes off again as soon as it is home. Batches a second, median of five
/// windows.
double fly_all_slots(gpu::StagingRing& ring, std::span<const RequestSet> sets, double seconds);

}  // namespace headrace::bench
