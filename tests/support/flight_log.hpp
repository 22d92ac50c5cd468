#pragma once
// An observer that keeps every notice, so that a test can wait for flights and see that each was told exactly once.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "gpu/device.hpp"

namespace headrace::support {

/// A wait that takes longer has failed: the event will not come.
inline constexpr std::chrono::seconds wait_limit{60};

/// Thread-safe. Outlives every flight it observes.
class FlightLog final : public gpu::FlightObserver {
 public:
  void on_flight_done(const gpu::FlightResult& result) noexcept override;

  /// True when `flights` different flights were told, false after wait_limit.
  [[nodiscard]] bool wait_for(std::size_t flights);
  [[nodiscard]] bool wait_for_flight(std::uint64_t flight);

  std::size_t notices_of(std::uint64_t flight) const;
  std::size_t notices() const;
  /// The first notice of that flight, which must have come.
  gpu::FlightResult result(std::uint64_t flight) const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable told_;
  std::map<std::uint64_t, std::vector<gpu::FlightResult>> results_;
  std::size_t notices_ = 0;
};

}  // namespace headrace::support
