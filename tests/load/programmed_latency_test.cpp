// The percentiles that a run reports, beside what a server with programmed latencies recorded itself in the same run.
//
// Each request takes its client longer than the server: so does every percentile, on any machine, however busy. How
// much longer depends on the machine: the upper bounds here only tell a right figure from one of another kind. How
// close the two are is measured by load/bench/against_programmed_latency, where time can be afforded.
#include <gtest/gtest.h>

#include <array>

#include "load/run.hpp"
#include "tests/load/test_server.hpp"

namespace headrace::load {
namespace {

using namespace std::chrono_literals;
using testing::Act;
using testing::TestServer;

constexpr double bucket_width = 1.001;  // a percentile is within 0.1 %
constexpr double seconds_more_max = 2;  // that a starved machine may add to a percentile

Report run_against(TestServer& server, RunOptions options) {
  options.target = {"127.0.0.1", server.port(), ""};
  options.model = "double";
  options.timeout = 60s;
  const std::atomic<bool> stop{false};
  const auto report = run(options, stop);
  EXPECT_TRUE(report) << report.error();
  return report ? *report : Report{};
}

double seconds_at(const Histogram& histogram, double quantile) {
  return static_cast<double>(histogram.quantile_ns(quantile)) / 1e9;
}

void expect_agreement(const Report& report, const Histogram& recorded) {
  ASSERT_EQ(report.totals.service.count(), recorded.count());
  for (const double quantile : {0.01, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0}) {
    const double served = seconds_at(recorded, quantile);
    EXPECT_GE(seconds_at(report.totals.service, quantile) * bucket_width, served) << quantile;
    EXPECT_LE(seconds_at(report.totals.service, quantile), served + seconds_more_max) << quantile;
  }
}

TEST(ProgrammedLatency, ConstantInBothLoops) {
  for (const double rate : {0.0, 300.0}) {
    TestServer server([](std::uint64_t) { return Act{.delay = 5ms}; });
    RunOptions options;
    options.connections = 8;
    options.arrivals.rate = rate;
    options.requests = 120;
    const Report report = run_against(server, options);
    expect_agreement(report, server.recorded());
    EXPECT_GE(report.totals.service.quantile_ns(0), 5'000'000U);
  }
}

TEST(ProgrammedLatency, BimodalKeepsItsModesApart) {
  TestServer server([](std::uint64_t i) { return Act{.delay = i % 4 == 3 ? 60ms : 2ms}; });
  RunOptions options;
  options.connections = 4;
  options.requests = 80;
  const Report report = run_against(server, options);
  expect_agreement(report, server.recorded());
  EXPECT_GE(report.totals.service.quantile_ns(0.76), 60'000'000U);  // a quarter of the requests
}

TEST(ProgrammedLatency, AnOpenLoopShowsAStallToEveryRequestPlannedInIt) {
  TestServer server([](std::uint64_t i) { return i == 100 ? Act{.delay = 300ms} : Act{}; });
  RunOptions options;
  options.connections = 1;
  options.arrivals.rate = 500;
  options.requests = 400;
  const Report report = run_against(server, options);
  expect_agreement(report, server.recorded());
  // 75 requests were planned, 2 ms apart, in the first half of the stall: each waited for half of it at least. That is
  // more than one in six; in the service time the stall is the one request that met it.
  EXPECT_GE(report.totals.latency.quantile_ns(1 - 70.0 / 400), 150'000'000U);
  EXPECT_GE(report.totals.waited, 75U);
  EXPECT_GE(report.totals.service.max_ns(), 300'000'000U);
  EXPECT_GE(report.totals.latency.quantile_ns(0.99), report.totals.service.quantile_ns(0.99));
}

}  // namespace
}  // namespace headrace::load
