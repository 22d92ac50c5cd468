#include <chrono>

#include "load/bench/benches.hpp"
#include "load/bench/flying.hpp"
#include "load/bench/rig.hpp"

namespace headrace::bench {
namespace {

// Long enough for whoever watches the device to have gone to sleep.
constexpr std::chrono::microseconds idle{2000};

Row measure(const Stand& stand, const char* what, std::chrono::microseconds pause, bool attended,
            const BenchOptions& options) {
  const Pace pace{
      .seconds = options.seconds, .flights_min = options.quick ? 5U : 500U, .pause = pause, .attended = attended};
  auto samples = fly_one_at_a_time(stand.ring(), stand.first(), pace);
  return {"completion",
          what,
          way_text({}),
          {{"p50_us", quantile(samples.notice_us, 0.5)},
           {"p99_us", quantile(samples.notice_us, 0.99)},
           {"submit_us", quantile(samples.submit_us, 0.5)}},
          {}};
}

}  // namespace

std::vector<Row> completion_bench(const BenchOptions& options) {
  const ProgramPtr program = affine_program(4);  // 16 bytes a row
  const BatchShape shape{.requests = 1, .rows = 1};
  constexpr std::uint32_t slots = 1;
  const Rig rig(options.device, {}, slots * pool_bytes(*program, shape));
  const Stand stand(rig, program, shape, slots);
  return {measure(stand, "back_to_back", {}, false, options), measure(stand, "after_idle", idle, false, options),
          measure(stand, "back_to_back attended", {}, true, options),
          measure(stand, "after_idle attended", idle, true, options)};
}

}  // namespace headrace::bench
