#include "service/telemetry/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <map>
#include <sstream>
#include <thread>

namespace headrace::telemetry {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;
using testing::HasSubstr;
using testing::Not;

/// A timeline whose stage i took (i + 1) x 10 us.
Timeline sample_timeline(Clock::time_point start = Clock::time_point(microseconds(1))) {
  Timeline timeline;
  timeline.begin(start);
  auto now = start;
  for (std::size_t i = 0; i < stage_count; ++i) {
    now += microseconds(10 * (i + 1));
    timeline.end(static_cast<Stage>(i), now);
  }
  return timeline;
}

/// Series with its labels as written → value.
std::map<std::string, double> parse(const std::string& exposition) {
  std::map<std::string, double> series;
  std::istringstream lines(exposition);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t blank = line.rfind(' ');
    const bool added = series.emplace(line.substr(0, blank), std::stod(line.substr(blank + 1))).second;
    EXPECT_TRUE(added) << "twice: " << line;
  }
  return series;
}

std::string stage_series(std::string_view part, std::string_view model, std::string_view stage) {
  return "headrace_stage_duration_seconds_" + std::string(part) + "{model=\"" + std::string(model) + "\",stage=\"" +
         std::string(stage) + "\"}";
}

TEST(Metrics, AModelsSeriesAreThereFromTheStart) {
  Metrics metrics;
  metrics.model("digits");
  const auto series = parse(metrics.render());
  for (std::size_t i = 0; i < stage_count; ++i) {
    EXPECT_EQ(series.at(stage_series("count", "digits", stage_name(static_cast<Stage>(i)))), 0);
  }
  EXPECT_EQ(series.at(stage_series("count", "digits", "total")), 0);
  EXPECT_EQ(series.at("headrace_batch_rows_count{model=\"digits\"}"), 0);
  EXPECT_EQ(series.at("headrace_requests_total{model=\"digits\",code=\"200\"}"), 0);
  EXPECT_EQ(series.at("headrace_requests_total{model=\"digits\",code=\"429\"}"), 0);
  EXPECT_EQ(series.at("headrace_rejected_total{model=\"digits\",reason=\"queue_full\"}"), 0);
  EXPECT_EQ(series.at("headrace_host_copied_bytes_total{path=\"gather\"}"), 0);
}

TEST(Metrics, TheSameNameIsTheSameModel) {
  Metrics metrics;
  EXPECT_EQ(&metrics.model("digits"), &metrics.model("digits"));
  EXPECT_NE(&metrics.model("digits"), &metrics.model("affine256"));
}

TEST(Metrics, ASuccessIsObservedOncePerStageAndInTotal) {
  Metrics metrics;
  const Timeline timeline = sample_timeline();
  metrics.model("digits").record({&timeline, 200, {}, 3});
  const auto series = parse(metrics.render());
  double sum = 0;
  for (std::size_t i = 0; i < stage_count; ++i) {
    const auto name = stage_name(static_cast<Stage>(i));
    EXPECT_EQ(series.at(stage_series("count", "digits", name)), 1) << name;
    sum += series.at(stage_series("sum", "digits", name));
  }
  EXPECT_EQ(series.at(stage_series("count", "digits", "total")), 1);
  EXPECT_NEAR(sum, 780e-6, 1e-12);
  EXPECT_NEAR(series.at(stage_series("sum", "digits", "total")), sum, 1e-12);
}

TEST(Metrics, BucketsAreCumulativeAndTheirEdgesReadable) {
  Metrics metrics;
  const Timeline timeline = sample_timeline();
  metrics.model("digits").record({&timeline, 200, {}, 1});
  const auto text = metrics.render();
  const std::string read = "headrace_stage_duration_seconds_bucket{model=\"digits\",stage=\"read\",le=";
  EXPECT_THAT(text, HasSubstr(read + "\"6.3e-06\"} 0\n"));
  EXPECT_THAT(text, HasSubstr(read + "\"1e-05\"} 1\n")) << "an edge belongs to the bucket below it";
  EXPECT_THAT(text, HasSubstr(read + "\"0.001\"} 1\n"));
  EXPECT_THAT(text, HasSubstr(read + "\"10\"} 1\n"));
  EXPECT_THAT(text, HasSubstr(read + "\"+Inf\"} 1\n"));
}

TEST(Metrics, AFailureIsCountedAndItsStagesAreNotObserved) {
  Metrics metrics;
  auto& model = metrics.model("digits");
  const Timeline timeline = sample_timeline();
  model.record({&timeline, 429, "queue_full", 5});
  model.record({nullptr, 500, {}, 5});
  const auto series = parse(metrics.render());
  EXPECT_EQ(series.at(stage_series("count", "digits", "total")), 0);
  EXPECT_EQ(series.at("headrace_requests_total{model=\"digits\",code=\"429\"}"), 1);
  EXPECT_EQ(series.at("headrace_rejected_total{model=\"digits\",reason=\"queue_full\"}"), 1);
  const auto sums = model.sums();
  EXPECT_EQ(sums.success_count, 0U);
  EXPECT_EQ(sums.fail_count, 2U);
  EXPECT_EQ(sums.fail_ns, 650'000U) << "the total of 780 us without read (10) and write (120)";
  EXPECT_EQ(sums.rows, 0U);
  EXPECT_EQ(sums.last_inference_ms, 0U);
}

TEST(Metrics, AnUnknownReasonGetsASeriesForEveryModel) {
  Metrics metrics;
  metrics.model("other");
  metrics.model("digits").record({nullptr, 503, "moon_phase", 1});
  const auto series = parse(metrics.render());
  EXPECT_EQ(series.at("headrace_rejected_total{model=\"digits\",reason=\"moon_phase\"}"), 1);
  EXPECT_EQ(series.at("headrace_rejected_total{model=\"other\",reason=\"moon_phase\"}"), 0);
}

TEST(Metrics, SumsKeepTheStageBordersOfTheProtocol) {
  Metrics metrics;
  auto& model = metrics.model("digits");
  const auto now = Clock::now();
  const Timeline timeline = sample_timeline(now - microseconds(780));
  model.record({&timeline, 200, {}, 3});
  model.record({&timeline, 200, {}, 4});
  model.record_batch(7);
  const auto sums = model.sums();
  EXPECT_EQ(sums.success_count, 2U);
  EXPECT_EQ(sums.success_ns, 2 * 650'000U);
  EXPECT_EQ(sums.queue_ns, 2 * (30 + 40 + 50) * 1000U);
  EXPECT_EQ(sums.compute_input_ns, 2 * (60 + 70) * 1000U);
  EXPECT_EQ(sums.compute_infer_ns, 2 * 80 * 1000U);
  EXPECT_EQ(sums.compute_output_ns, 2 * (90 + 100) * 1000U);
  EXPECT_EQ(sums.rows, 7U);
  EXPECT_EQ(sums.batches, 1U);
  const auto wall_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  EXPECT_NEAR(static_cast<double>(sums.last_inference_ms), static_cast<double>(wall_ms), 60'000);
}

TEST(Metrics, ACodeThatIsNoHttpStatusIsOther) {
  Metrics metrics;
  metrics.model("digits").record({nullptr, 7, {}, 1});
  metrics.model("digits").record({nullptr, 100, {}, 1});
  metrics.model("digits").record({nullptr, 599, {}, 1});
  const auto series = parse(metrics.render());
  for (const auto* const code : {"other", "100", "599"}) {
    EXPECT_EQ(series.at("headrace_requests_total{model=\"digits\",code=\"" + std::string(code) + "\"}"), 1);
  }
}

TEST(Metrics, WhatReachedNoModelIsUnderTheEmptyName) {
  Metrics metrics;
  metrics.record_unrouted(404);
  metrics.record_unrouted(431);
  const auto series = parse(metrics.render());
  EXPECT_EQ(series.at("headrace_requests_total{model=\"\",code=\"404\"}"), 1);
  EXPECT_EQ(series.at("headrace_requests_total{model=\"\",code=\"431\"}"), 1);
}

TEST(Metrics, BatchRowsFallIntoPowersOfTwo) {
  Metrics metrics;
  for (const std::uint32_t rows : {1U, 2U, 3U, 4096U, 70'000U}) metrics.model("digits").record_batch(rows);
  const auto series = parse(metrics.render());
  const std::string bucket = "headrace_batch_rows_bucket{model=\"digits\",le=";
  EXPECT_EQ(series.at(bucket + "\"1\"}"), 1);
  EXPECT_EQ(series.at(bucket + "\"2\"}"), 2);
  EXPECT_EQ(series.at(bucket + "\"4\"}"), 3);
  EXPECT_EQ(series.at(bucket + "\"65536\"}"), 4);
  EXPECT_EQ(series.at(bucket + "\"+Inf\"}"), 5);
  EXPECT_EQ(series.at("headrace_batch_rows_sum{model=\"digits\"}"), 74'102);
}

TEST(Metrics, GaugesAreReadWhenSomebodyAsks) {
  Metrics metrics;
  double held = 1;
  metrics.set_gauges([&held] {
    GaugeSnapshot gauges;
    gauges.queues = {{"digits", 3, 8192}};
    gauges.slots = {{"cpu", 1, 2, 3, 4}};
    gauges.inflight_requests = 9;
    gauges.bytes_held = held;
    gauges.bytes_budget = 1 << 30;
    gauges.connections = 12;
    gauges.ready = true;
    return gauges;
  });
  held = 77;
  const auto series = parse(metrics.render());
  EXPECT_EQ(series.at("headrace_queue_depth{model=\"digits\"}"), 3);
  EXPECT_EQ(series.at("headrace_queue_capacity{model=\"digits\"}"), 8192);
  EXPECT_EQ(series.at("headrace_slots{device=\"cpu\",state=\"free\"}"), 1);
  EXPECT_EQ(series.at("headrace_slots{device=\"cpu\",state=\"in_flight\"}"), 3);
  EXPECT_EQ(series.at("headrace_slots{device=\"cpu\",state=\"done\"}"), 4);
  EXPECT_EQ(series.at("headrace_inflight_requests"), 9);
  EXPECT_EQ(series.at("headrace_bytes_held"), 77);
  EXPECT_EQ(series.at("headrace_bytes_budget"), 1 << 30);
  EXPECT_EQ(series.at("headrace_connections"), 12);
  EXPECT_EQ(series.at("headrace_ready"), 1);
  metrics.set_gauges({});
  EXPECT_EQ(parse(metrics.render()).at("headrace_ready"), 0) << "without a source nothing is ready";
}

TEST(Metrics, ADevicesFlightsAreCountedByWayAndByEnd) {
  Metrics metrics;
  auto& device = metrics.device("cuda:0");
  EXPECT_EQ(&metrics.device("cuda:0"), &device);
  EXPECT_NE(&metrics.device("cuda:1"), &device);
  for (int i = 0; i < 3; ++i) device.record_flight({});
  device.record_flight({.copy_engines = true, .ok = true});
  device.record_flight({.copy_engines = true, .ok = false});
  const auto series = parse(metrics.render());
  const std::string name = "headrace_flights_total{device=\"cuda:";
  EXPECT_EQ(series.at(name + R"(0",transfer="in_place",outcome="ok"})"), 3);
  EXPECT_EQ(series.at(name + R"(0",transfer="in_place",outcome="failed"})"), 0);
  EXPECT_EQ(series.at(name + R"(0",transfer="copy_engines",outcome="ok"})"), 1);
  EXPECT_EQ(series.at(name + R"(0",transfer="copy_engines",outcome="failed"})"), 1);
  EXPECT_EQ(series.at(name + R"(1",transfer="copy_engines",outcome="ok"})"), 0) << "there from the start";
}

TEST(Metrics, EveryDeviceIsShownWithItsOwnFigures) {
  Metrics metrics;
  metrics.set_gauges([] {
    GaugeSnapshot gauges;
    gauges.devices.resize(2);
    gauges.devices[0] = {.device = "cuda:0",
                         .kind = "cuda",
                         .name = "NVIDIA H200",
                         .lost = true,
                         .h2d_busy_seconds = 1.5,
                         .kernel_busy_seconds = 2.25,
                         .d2h_busy_seconds = 0.5,
                         .spurious_notices = 4,
                         .utilisation_ratio = 0.37,
                         .memory_used_bytes = 1e9,
                         .memory_total_bytes = 2e9,
                         .power_watts = 412.5,
                         .temperature_celsius = 54};
    gauges.devices[1].device = "cuda:1";
    gauges.devices[1].temperature_celsius = 40;
    return gauges;
  });
  const auto series = parse(metrics.render());
  EXPECT_EQ(series.at(R"(headrace_device_info{device="cuda:0",kind="cuda",name="NVIDIA H200"})"), 1);
  EXPECT_EQ(series.at(R"(headrace_device_lost{device="cuda:0"})"), 1);
  EXPECT_EQ(series.at(R"(headrace_device_lost{device="cuda:1"})"), 0);
  EXPECT_EQ(series.at(R"(headrace_device_busy_seconds_total{device="cuda:0",engine="h2d"})"), 1.5);
  EXPECT_EQ(series.at(R"(headrace_device_busy_seconds_total{device="cuda:0",engine="kernel"})"), 2.25);
  EXPECT_EQ(series.at(R"(headrace_device_busy_seconds_total{device="cuda:0",engine="d2h"})"), 0.5);
  EXPECT_EQ(series.at(R"(headrace_spurious_notices_total{device="cuda:0"})"), 4);
  EXPECT_EQ(series.at(R"(headrace_device_utilisation_ratio{device="cuda:0"})"), 0.37);
  EXPECT_EQ(series.at(R"(headrace_device_memory_used_bytes{device="cuda:0"})"), 1e9);
  EXPECT_EQ(series.at(R"(headrace_device_memory_total_bytes{device="cuda:0"})"), 2e9);
  EXPECT_EQ(series.at(R"(headrace_device_power_watts{device="cuda:0"})"), 412.5);
  EXPECT_EQ(series.at(R"(headrace_device_temperature_celsius{device="cuda:0"})"), 54);
  EXPECT_EQ(series.at(R"(headrace_device_temperature_celsius{device="cuda:1"})"), 40);
  EXPECT_FALSE(series.contains(R"(headrace_device_power_watts{device="cuda:1"})")) << "no value is no series";
}

TEST(Metrics, AFigureThatNoDeviceHasIsNoFamily) {
  Metrics metrics;
  metrics.set_gauges([] {
    GaugeSnapshot gauges;
    gauges.devices.push_back({.device = "cpu", .kind = "cpu", .name = "a processor"});
    return gauges;
  });
  const auto text = metrics.render();
  EXPECT_THAT(text, HasSubstr("headrace_device_lost{device=\"cpu\"} 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("headrace_device_power_watts")));
  EXPECT_THAT(text, Not(HasSubstr("headrace_device_utilisation_ratio")));
}

TEST(Metrics, TheProcessIsShown) {
  const auto series = parse(Metrics().render());
  EXPECT_GT(series.at("process_resident_memory_bytes"), 0);
  EXPECT_GT(series.at("process_open_fds"), 0);
  EXPECT_GT(series.at("process_start_time_seconds"), 1e9);
  EXPECT_GE(series.at("process_cpu_seconds_total"), 0);
  EXPECT_THAT(Metrics().render(), HasSubstr("headrace_build_info{version=\""));
}

TEST(Metrics, AModelsNameIsEscaped) {
  Metrics metrics;
  metrics.model("a\"b\\c\nd");
  EXPECT_THAT(metrics.render(), HasSubstr(R"({model="a\"b\\c\nd",)"));
}

TEST(Metrics, HostCopiesAddUpByPath) {
  Metrics metrics;
  metrics.add_host_copied("chunked", 1000);
  metrics.add_host_copied("chunked", 24);
  metrics.add_host_copied("inflate", 5);
  const auto series = parse(metrics.render());
  EXPECT_EQ(series.at("headrace_host_copied_bytes_total{path=\"chunked\"}"), 1024);
  EXPECT_EQ(series.at("headrace_host_copied_bytes_total{path=\"inflate\"}"), 5);
}

TEST(Metrics, NothingIsLostWhileThreadsComeAndGoAndAScrapeReads) {
  constexpr int waves = 5;
  constexpr int threads = 4;
  constexpr int each = 200;
  Metrics metrics;
  auto& model = metrics.model("digits");
  auto& device = metrics.device("cpu");
  const Timeline timeline = sample_timeline();
  for (int wave = 0; wave < waves; ++wave) {
    std::latch start(threads + 1);
    std::vector<std::jthread> running;
    for (int t = 0; t < threads; ++t) {
      running.emplace_back([&] {
        start.arrive_and_wait();
        for (int n = 0; n < each; ++n) {
          model.record({&timeline, 200, {}, 2});
          model.record({&timeline, 429, n % 2 == 0 ? "queue_full" : "odd", 2});
          model.record_batch(8);
          metrics.add_host_copied("gather", 10);
          metrics.record_unrouted(404);
          device.record_flight({.copy_engines = n % 2 == 0, .ok = true});
        }
      });
    }
    start.arrive_and_wait();
    const auto series = parse(metrics.render());
    EXPECT_LE(series.at(stage_series("count", "digits", "total")), (wave + 1) * threads * each);
    EXPECT_LE(model.sums().success_count, static_cast<std::uint64_t>((wave + 1) * threads * each));
  }
  const double all = waves * threads * each;
  const auto series = parse(metrics.render());
  EXPECT_EQ(series.at(stage_series("count", "digits", "kernel")), all);
  EXPECT_EQ(series.at("headrace_requests_total{model=\"digits\",code=\"200\"}"), all);
  EXPECT_EQ(series.at("headrace_requests_total{model=\"digits\",code=\"429\"}"), all);
  EXPECT_EQ(series.at("headrace_rejected_total{model=\"digits\",reason=\"odd\"}"), all / 2);
  EXPECT_EQ(series.at("headrace_batch_rows_count{model=\"digits\"}"), all);
  EXPECT_EQ(series.at("headrace_host_copied_bytes_total{path=\"gather\"}"), all * 10);
  EXPECT_EQ(series.at("headrace_requests_total{model=\"\",code=\"404\"}"), all);
  EXPECT_EQ(series.at(R"(headrace_flights_total{device="cpu",transfer="copy_engines",outcome="ok"})"), all / 2);
  EXPECT_EQ(model.sums().rows, static_cast<std::uint64_t>(all * 2));
}

TEST(Metrics, AGaugeSourceMayGoOnceItIsReplaced) {
  Metrics metrics;
  auto held = std::make_unique<double>(1);
  metrics.set_gauges([source = held.get()] {
    GaugeSnapshot gauges;
    gauges.bytes_held = *source;
    return gauges;
  });
  std::latch scraping(1);
  const std::jthread scraper([&](const std::stop_token& stop) {
    metrics.render();
    scraping.count_down();
    while (!stop.stop_requested()) metrics.render();
  });
  scraping.wait();
  metrics.set_gauges({});
  held.reset();
  metrics.render();
}

}  // namespace
}  // namespace headrace::telemetry
