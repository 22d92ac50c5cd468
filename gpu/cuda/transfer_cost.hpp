#pragma once
// Which way a batch goes to the device and back: the way that costs less time by a small model. Pure.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpu/device.hpp"

namespace headrace::gpu::cuda {

/// Measured on an H200 (PCIe Gen5, 4 slots) by `headrace-bench ingest ring`; µs, and bytes a µs. The model is within 15
/// % of what was measured between 1 × 1 KiB and 64 × 1 MiB.
struct TransferCosts {
  double in_place_fixed = 10;
  double in_place_rate = 38'000;  // each way while the other is as busy
  double engines_fixed = 20;  // four launches and two engines, one after the other
  double engines_copy = 0.75;  // what a request adds, there and back, to a flight that is alone
  double engines_rate = 55'000;  // one way alone
  double engines_host_fixed = 9;  // the submitting thread's time
  double engines_host_copy = 1.04;  // and for each request, there and back
  double engines_turn = 4.3;  // between one batch of an engine and its next
  double engines_rate_both = 50'600;  // each way while the other is as busy
  double engines_advantage = 0.85;  // must be that much shorter, for the submitting thread's time is shared
};

struct TransferLoad {
  std::size_t in_bytes = 0;
  std::size_t out_bytes = 0;
  std::uint32_t segments = 0;  // requests: copies each way
  bool alone = false;  // no other flight in the air: its latency counts, else how long it keeps the bus
};

constexpr double in_place_time(const TransferCosts& costs, const TransferLoad& load) noexcept {
  const double moving = static_cast<double>(std::max(load.in_bytes, load.out_bytes)) / costs.in_place_rate;
  return load.alone ? costs.in_place_fixed + moving : moving;
}

constexpr double engines_time(const TransferCosts& costs, const TransferLoad& load) noexcept {
  const auto in = static_cast<double>(load.in_bytes);
  const auto out = static_cast<double>(load.out_bytes);
  const double copies = load.segments;
  if (load.alone) return costs.engines_fixed + copies * costs.engines_copy + (in + out) / costs.engines_rate;
  const double host = costs.engines_host_fixed + copies * costs.engines_host_copy;
  return std::max(host, costs.engines_turn + std::max(in, out) / costs.engines_rate_both);
}

constexpr Transfer choose_transfer(const TransferCosts& costs, const TransferLoad& load) noexcept {
  const bool engines = engines_time(costs, load) < costs.engines_advantage * in_place_time(costs, load);
  return engines ? Transfer::copy_engines : Transfer::in_place;
}

}  // namespace headrace::gpu::cuda
