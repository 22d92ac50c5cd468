// Writes the metrics of a service under load to standard output, for the checks that read an exposition:
//   exposition_sample           once
//   exposition_sample STEPS     as it stands after that many steps; more steps, higher counters

#include <cstdio>
#include <cstdlib>

#include "service/telemetry/metrics.hpp"

namespace {

using namespace headrace::telemetry;

GaugeSnapshot gauges(int step) {
  GaugeSnapshot snapshot;
  snapshot.queues = {{"digits", 12, 8192}, {"affine256", 0, 8192}};
  snapshot.slots = {{"cuda:0", 2, 1, 1, 0}};
  snapshot.devices = {{.device = "cuda:0",
                       .kind = "cuda",
                       .name = "NVIDIA H200",
                       .lost = false,
                       .h2d_busy_seconds = 0.004 * step,
                       .kernel_busy_seconds = 0.006 * step,
                       .d2h_busy_seconds = 0.005 * step,
                       .spurious_notices = 0,
                       .utilisation_ratio = 0.6,
                       .memory_used_bytes = 1.5e9,
                       .memory_total_bytes = 150e9,
                       .power_watts = 412.5,
                       .temperature_celsius = 54}};
  snapshot.inflight_requests = 16;
  snapshot.bytes_held = 1 << 20;
  snapshot.bytes_budget = 1 << 30;
  snapshot.connections = 16;
  snapshot.ready = true;
  return snapshot;
}

void record_step(Metrics& metrics, int step) {
  Timeline timeline;
  Clock::time_point now(std::chrono::seconds(1));
  timeline.begin(now);
  for (std::size_t i = 0; i < stage_count; ++i) {
    now += std::chrono::microseconds((i + 1) * static_cast<std::size_t>(1 + step % 50));
    timeline.end(static_cast<Stage>(i), now);
  }
  for (const auto* const name : {"digits", "affine256"}) {
    auto& model = metrics.model(name);
    model.record({&timeline, 200, {}, 4});
    if (step % 10 == 0) model.record({&timeline, 429, "queue_full", 4});
    model.record_batch(static_cast<std::uint32_t>(1 + step % 64));
  }
  metrics.add_host_copied("body_prefix", 64);
  metrics.device("cuda:0").record_flight({.copy_engines = step % 3 == 0, .ok = true});
  if (step % 20 == 0) metrics.record_unrouted(404);
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 100;
  Metrics metrics;
  metrics.set_gauges([steps] { return gauges(steps); });
  metrics.model("strange \"name\"\n");
  for (int step = 0; step < steps; ++step) record_step(metrics, step);
  const std::string text = metrics.render();
  std::fwrite(text.data(), 1, text.size(), stdout);
}
