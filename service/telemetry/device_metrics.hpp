#pragma once
// One device's flights: counted in per-thread cells, read as totals.

#include <array>
#include <cstddef>
#include <cstdint>

#include "service/telemetry/cells.hpp"
#include "service/telemetry/metrics.hpp"
#include "service/telemetry/shards.hpp"

namespace headrace::telemetry {

/// Flights by how their rows passed, and by how they ended.
struct DeviceTotals {
  std::array<std::array<std::uint64_t, 2>, 2> flights{};  // [copy_engines][ok]
};

class DeviceSeries final : public DeviceMetrics {
 public:
  void record_flight(const FlightRecord& record) noexcept override {
    if (Cells* const cells = shards_.mine()) cells->flights[record.copy_engines][record.ok].add(1);
  }

  DeviceTotals totals() const {
    DeviceTotals totals;
    shards_.each([&totals](const Cells& cells) {
      for (std::size_t way = 0; way < 2; ++way) {
        for (std::size_t end = 0; end < 2; ++end) totals.flights[way][end] += cells.flights[way][end].get();
      }
    });
    return totals;
  }

 private:
  struct alignas(64) Cells {
    std::array<std::array<Cell, 2>, 2> flights;
  };
  Shards<Cells> shards_;
};

}  // namespace headrace::telemetry
