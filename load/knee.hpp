#pragma once
// The knee of a throughput–latency curve: from where more load only adds waiting. Pure.

#include <cstddef>
#include <optional>
#include <span>

namespace headrace::load {

struct CurvePoint {
  double throughput = 0;  // any unit, the same for all
  double latency = 0;     // any unit, the same for all
};

struct Knee {
  std::size_t index = 0;  // of the point
  double distance = 0;    // from the chord, in the normalised plane; at most 1/√2
};

/// A curve whose points all lie closer to the chord than this has no knee: the server was never full, or always was.
inline constexpr double knee_distance_min = 0.05;

/// Throughput and latency are each normalised to 0…1 over the curve, and the chord goes from its first to its last
/// point; the knee is the point farthest from the chord on the side of more throughput and less latency, the earlier
/// one of two equals. Points are in the order of the load. Nothing where there is no knee or fewer than three points.
std::optional<Knee> find_knee(std::span<const CurvePoint> curve);

}  // namespace headrace::load
