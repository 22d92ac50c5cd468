#include "service/pipeline/work_estimate.hpp"

#include <bit>

namespace headrace::pipeline {

namespace {
// A flight that shared the device with others took longer than it is worth, none takes less: so a shorter time is
// believed sooner than a longer one.
constexpr std::uint64_t weight_when_shorter = 2;
constexpr std::uint64_t weight_when_longer = 16;
}  // namespace

std::size_t WorkEstimate::size_of(std::uint32_t rows) noexcept {
  return static_cast<std::size_t>(std::bit_width(rows));
}

void WorkEstimate::learn(std::uint32_t rows, std::chrono::nanoseconds took) noexcept {
  if (took.count() <= 0) return;
  auto& known = took_[size_of(rows)];
  const auto now = static_cast<std::uint64_t>(took.count());
  const auto before = known.load(std::memory_order_relaxed);
  if (before == 0) {
    known.store(now, std::memory_order_relaxed);
  } else if (now < before) {
    known.store(before - (before - now) / weight_when_shorter, std::memory_order_relaxed);
  } else {
    known.store(before + (now - before) / weight_when_longer, std::memory_order_relaxed);
  }
}

std::chrono::nanoseconds WorkEstimate::expect(std::uint32_t rows) const noexcept {
  const std::size_t size = size_of(rows);
  std::uint64_t found = 0;
  for (std::size_t s = size + 1; s > 0 && found == 0; --s) found = took_[s - 1].load(std::memory_order_relaxed);
  for (std::size_t s = size + 1; s < sizes && found == 0; ++s) found = took_[s].load(std::memory_order_relaxed);
  return std::chrono::nanoseconds(found);
}

}  // namespace headrace::pipeline
