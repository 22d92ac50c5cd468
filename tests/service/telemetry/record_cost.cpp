// What recording costs, printed in ns: `ninja telemetry_record_cost && bin/telemetry_record_cost`. Not a
// test: machines differ.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "service/telemetry/metrics.hpp"

namespace {

using namespace headrace::telemetry;

Timeline timeline_of(std::uint64_t seed) {
  Timeline timeline;
  Clock::time_point now(std::chrono::seconds(1));
  timeline.begin(now);
  for (std::size_t i = 0; i < stage_count; ++i) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    now += std::chrono::nanoseconds((seed >> 33) % (1U << (10 + seed % 14)));
    timeline.end(static_cast<Stage>(i), now);
  }
  return timeline;
}

double ns_per_record(ModelMetrics& model, const std::vector<Timeline>& timelines, int records) {
  const auto begin = Clock::now();
  for (int i = 0; i < records; ++i) {
    model.record({&timelines[static_cast<std::size_t>(i) % timelines.size()], 200, {}, 1});
  }
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / records;
}

}  // namespace

int main() {
  constexpr int records = 1'000'000;
  Metrics metrics;
  auto& model = metrics.model("digits");
  std::vector<Timeline> timelines;
  for (std::uint64_t i = 0; i < 1000; ++i) timelines.push_back(timeline_of(i));

  std::vector<double> rounds;
  for (int round = 0; round < 5; ++round) rounds.push_back(ns_per_record(model, timelines, records));
  std::ranges::sort(rounds);
  std::printf("record of 13 observations, 1 thread: %.0f ns (median of 5)\n", rounds[2]);

  double each[2] = {};
  {
    std::jthread one([&] { each[0] = ns_per_record(model, timelines, records); });
    std::jthread other([&] { each[1] = ns_per_record(model, timelines, records); });
  }
  std::printf("the same, 2 threads on one model: %.0f and %.0f ns\n", each[0], each[1]);

  auto begin = Clock::now();
  for (int i = 0; i < records; ++i) model.record({&timelines[0], 429, "over_budget", 1});
  std::printf("a refusal: %.0f ns\n", std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / records);

  begin = Clock::now();
  const std::size_t bytes = metrics.render().size();
  std::printf("render, 1 model: %.0f us, %zu bytes\n",
              std::chrono::duration<double, std::micro>(Clock::now() - begin).count(), bytes);
}
