#pragma once
// The one way in which the host's processor moves payload, the rows of requests and answers: what it moves is counted.
// At 8 GB/s a thread such a copy costs more than the whole of HTTP, so on the binary path there is next to none; a test
// (tests/tidy) finds copies that are made elsewhere.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace headrace::gpu {

/// Copies `from` to `to`, which has room for it and does not overlap it, and adds its size to `counted`: a device
/// reports that as FlightResult::host_copied_bytes, others to their metrics, so that it shows as
/// headrace_host_copied_bytes_total. Any address will do.
inline void copy_counted(std::span<const std::byte> from, std::byte* to, std::uint64_t& counted) noexcept {
  if (from.empty()) return;
  std::memcpy(to, from.data(), from.size());
  counted += from.size();
}

}  // namespace headrace::gpu
