#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "load/bench/benches.hpp"
#include "load/bench/flying.hpp"
#include "load/bench/rig.hpp"

namespace headrace::bench {
namespace {

constexpr std::int64_t columns = 256;
constexpr std::size_t row_bytes = columns * sizeof(float);
constexpr std::uint32_t slots = 4;

struct Load {
  std::uint32_t requests;
  std::size_t request_bytes;

  BatchShape shape() const noexcept {
    return {.requests = requests, .rows = static_cast<std::uint32_t>(request_bytes / row_bytes)};
  }
};

std::vector<Load> loads(bool quick) {
  if (quick) return {{8, 1024}, {4, 4096}};
  return {{1, 1024}, {64, 1024}, {256, 4096}, {64, 65'536}, {64, 262'144}, {64, 1'048'576}};
}

// How a batch of the automatic way really went, where that was not asked for.
std::string note(const FlightSamples& samples, std::optional<gpu::Transfer> asked) {
  std::string text;
  if (samples.transfer != asked) text = "went " + way_text(samples.transfer);
  if (samples.host_copied_bytes == 0) return text;
  return text + fmt::format(" {} B of a batch copied by the host", samples.host_copied_bytes);
}

Row measure(const Rig& rig, const ProgramPtr& program, const Load& load, std::optional<gpu::Transfer> way,
            const BenchOptions& options) {
  const Stand stand(rig, program, load.shape(), slots);
  auto samples = fly_one_at_a_time(stand.ring(), stand.first(), {.seconds = options.seconds});
  const double batches = fly_all_slots(stand.ring(), stand.sets(), options.seconds);
  return {"ingest",
          fmt::format("{}x{}", load.requests, bytes_text(load.request_bytes)),
          way_text(way),
          {{"p50_us", quantile(samples.notice_us, 0.5)},
           {"p99_us", quantile(samples.notice_us, 0.99)},
           {"submit_us", quantile(samples.submit_us, 0.5)},
           {"h2d_us", quantile(samples.h2d_us, 0.5)},
           {"kernel_us", quantile(samples.kernel_us, 0.5)},
           {"d2h_us", quantile(samples.d2h_us, 0.5)},
           {"batches_per_second", batches},
           {"pipelined_us", 1e6 / batches}},
          note(samples, way)};
}

}  // namespace

std::vector<Row> ingest_bench(const BenchOptions& options) {
  const ProgramPtr program = affine_program(columns);
  std::size_t arena_bytes = 0;
  for (const Load& load : loads(options.quick)) {
    arena_bytes = std::max(arena_bytes, slots * pool_bytes(*program, load.shape()));
  }
  std::vector<Row> rows;
  for (const std::optional<gpu::Transfer> way : {std::optional<gpu::Transfer>{}, std::optional{gpu::Transfer::in_place},
                                                 std::optional{gpu::Transfer::copy_engines}}) {
    const Rig rig(options.device, way, arena_bytes);
    if (way && rig.device().info().kind != gpu::DeviceKind::cuda) break;  // there is one way only
    for (const Load& load : loads(options.quick)) rows.push_back(measure(rig, program, load, way, options));
  }
  return rows;
}

}  // namespace headrace::bench
