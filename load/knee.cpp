#include "load/knee.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace headrace::load {
namespace {

/// Both coordinates over 0…1; a coordinate that never changes becomes 0.
std::vector<CurvePoint> normalised(std::span<const CurvePoint> curve) {
  CurvePoint low = curve.front();
  CurvePoint high = curve.front();
  for (const CurvePoint& point : curve) {
    low = {std::min(low.throughput, point.throughput), std::min(low.latency, point.latency)};
    high = {std::max(high.throughput, point.throughput), std::max(high.latency, point.latency)};
  }
  const auto share = [](double value, double from, double to) { return to > from ? (value - from) / (to - from) : 0; };
  std::vector<CurvePoint> points;
  points.reserve(curve.size());
  for (const CurvePoint& point : curve) {
    points.push_back(
        {share(point.throughput, low.throughput, high.throughput), share(point.latency, low.latency, high.latency)});
  }
  return points;
}

}  // namespace

std::optional<Knee> find_knee(std::span<const CurvePoint> curve) {
  constexpr std::size_t points_min = 3;
  if (curve.size() < points_min) return std::nullopt;
  const std::vector<CurvePoint> points = normalised(curve);
  const CurvePoint& first = points.front();
  const double along_x = points.back().throughput - first.throughput;
  const double along_y = points.back().latency - first.latency;
  const double chord = std::hypot(along_x, along_y);
  if (chord <= 0) return std::nullopt;
  Knee knee;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double x = points[i].throughput - first.throughput;
    const double y = points[i].latency - first.latency;
    const double distance = (x * along_y - y * along_x) / chord;
    if (distance > knee.distance) knee = {i, distance};
  }
  if (knee.distance < knee_distance_min) return std::nullopt;
  return knee;
}

}  // namespace headrace::load
