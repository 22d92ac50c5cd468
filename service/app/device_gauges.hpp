#pragma once
// One device as a scrape shows it.

#include <chrono>
#include <optional>

#include "gpu/staging_ring.hpp"
#include "service/telemetry/metrics.hpp"

namespace headrace::app {

class DeviceGauges {
 public:
  using Clock = std::chrono::steady_clock;
  /// The driver takes its time to answer, and its own sample periods are about as long: a reading serves every scrape
  /// for that long.
  static constexpr std::chrono::seconds reading_age_max{1};

  /// `ring` outlives this.
  explicit DeviceGauges(const gpu::StagingRing& ring) noexcept : ring_(&ring) {}

  /// As things stand at `now`. One thread at a time; it may wait for the driver.
  telemetry::GaugeSnapshot::Device read(Clock::time_point now);

 private:
  const std::optional<gpu::DeviceSensors>& sensors(Clock::time_point now);

  const gpu::StagingRing* ring_;
  std::optional<Clock::time_point> asked_at_;
  std::optional<gpu::DeviceSensors> reading_;
};

}  // namespace headrace::app
