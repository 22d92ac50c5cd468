#include <fmt/format.h>

#include <algorithm>

#include "load/bench/benches.hpp"
#include "load/bench/flying.hpp"
#include "load/bench/rig.hpp"

namespace headrace::bench {
namespace {

constexpr std::int64_t columns = 1024;
constexpr std::size_t row_bytes = columns * sizeof(float);

struct Depth {
  std::uint32_t slots;
  std::size_t slot_bytes;
};

std::vector<Depth> depths(bool quick) {
  constexpr std::size_t kib = 1024;
  if (quick) return {{1, 64 * kib}, {2, 64 * kib}};
  std::vector<Depth> all;
  for (const std::size_t slot_kib : {64U, 1024U, 4096U, 16384U}) {
    for (const std::uint32_t slots : {1U, 2U, 3U, 4U, 8U}) all.push_back({slots, slot_kib * kib});
  }
  return all;
}

BatchShape shape_of(const Depth& depth) {
  return {.requests = 1, .rows = static_cast<std::uint32_t>(depth.slot_bytes / row_bytes)};
}

double engines_at_work(const gpu::DeviceActivity& before, const gpu::DeviceActivity& after, Clock::duration wall) {
  const auto busy = (after.h2d - before.h2d) + (after.kernel - before.kernel) + (after.d2h - before.d2h);
  return std::chrono::duration<double>(busy) / std::chrono::duration<double>(wall);
}

Row measure(const Rig& rig, const ProgramPtr& program, const Depth& depth, const BenchOptions& options) {
  const Stand stand(rig, program, shape_of(depth), depth.slots);
  const auto before = rig.device().activity();
  const auto began = Clock::now();
  const double batches = fly_all_slots(stand.ring(), stand.sets(), options.seconds);
  const double engines = engines_at_work(before, rig.device().activity(), Clock::now() - began);
  return {"ring",
          fmt::format("{}x{}", depth.slots, bytes_text(depth.slot_bytes)),
          way_text(gpu::Transfer::copy_engines),
          {{"gbps_each_way", batches * static_cast<double>(depth.slot_bytes) / 1e9},
           {"us_per_batch", 1e6 / batches},
           {"engines_at_work", engines}},
          rig.device().info().kind == gpu::DeviceKind::cuda ? "" : "no copy engines here"};
}

}  // namespace

std::vector<Row> ring_bench(const BenchOptions& options) {
  const ProgramPtr program = identity_program(columns);
  std::size_t arena_bytes = 0;
  for (const Depth& depth : depths(options.quick)) {
    arena_bytes = std::max(arena_bytes, depth.slots * pool_bytes(*program, shape_of(depth)));
  }
  const Rig rig(options.device, gpu::Transfer::copy_engines, arena_bytes);
  std::vector<Row> rows;
  for (const Depth& depth : depths(options.quick)) rows.push_back(measure(rig, program, depth, options));
  return rows;
}

}  // namespace headrace::bench
