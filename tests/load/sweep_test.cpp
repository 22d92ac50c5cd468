// Sweeps and comparisons from end to end: every level is run, every pair is whole, and what they say parses.
#include "load/sweep.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include "load/side_by_side.hpp"
#include "tests/load/test_server.hpp"

namespace headrace::load {
namespace {

using testing::TestServer;

RunOptions options_for(const TestServer& server) {
  RunOptions options;
  options.target = {"127.0.0.1", server.port(), ""};
  options.model = "double";
  options.requests = 40;
  return options;
}

TEST(Sweep, RunsEveryLevel) {
  TestServer server;
  const std::atomic<bool> stop{false};
  for (const bool by_rate : {false, true}) {
    SweepOptions options{options_for(server), by_rate, {1, 2, 4}};
    if (by_rate) options = {options_for(server), true, {2000, 4000}};
    std::vector<double> seen;
    const auto outcome = sweep(options, stop, [&](const SweepPoint& point) { seen.push_back(point.level); });
    ASSERT_TRUE(outcome) << outcome.error();
    EXPECT_EQ(seen, options.levels);
    for (const SweepPoint& point : outcome->points) {
      EXPECT_EQ(point.report.totals.succeeded, 40U);
      EXPECT_EQ(point.report.open_loop, by_rate);
      if (!by_rate) EXPECT_EQ(point.report.connections, point.level);
    }
    simdjson::dom::parser parser;
    simdjson::dom::element json;
    ASSERT_EQ(parser.parse(sweep_json(*outcome)).get(json), simdjson::SUCCESS);
    EXPECT_EQ(simdjson::dom::array(json["points"]).size(), options.levels.size());
    EXPECT_EQ(std::uint64_t(json["points"].at(0)["report"]["succeeded"]), 40U);
  }
}

TEST(Sweep, SaysWhereTheKneeIs) {
  Sweep curve;
  for (const auto& [level, seconds, ns] : {std::tuple(1.0, 4.0, 1000U), {2.0, 2.0, 1000U}, {4.0, 1.9, 2000U}}) {
    SweepPoint point;
    point.level = level;
    point.report.seconds = seconds;
    point.report.totals.succeeded = 100;
    point.report.totals.latency.record(ns);
    curve.points.push_back(point);
  }
  ASSERT_TRUE(curve.knee());
  EXPECT_EQ(curve.knee()->index, 1U);
  EXPECT_NE(curve.verdict().find("knee at 2 connections"), std::string::npos) << curve.verdict();
  EXPECT_NE(curve.verdict().find("p50 2.00 times"), std::string::npos) << curve.verdict();
  curve.points.pop_back();
  EXPECT_NE(curve.verdict().find("no knee"), std::string::npos);
}

TEST(SideBySide, RunsBothServersInPairs) {
  TestServer a;
  TestServer b;
  CompareOptions options{options_for(a), {"127.0.0.1", a.port(), ""}, {"127.0.0.1", b.port(), ""}, 3};
  const std::atomic<bool> stop{false};
  const auto outcome = side_by_side(options, stop);
  ASSERT_TRUE(outcome) << outcome.error();
  EXPECT_EQ(outcome->pairs.size(), 3U);
  EXPECT_EQ(a.requests(), 120U);
  EXPECT_EQ(b.requests(), 120U);
  for (const Pair& pair : outcome->pairs) {
    EXPECT_NE(pair.a.url.find(std::to_string(a.port())), std::string::npos);
    EXPECT_NE(pair.b.url.find(std::to_string(b.port())), std::string::npos);
  }
  simdjson::dom::parser parser;
  simdjson::dom::element json;
  ASSERT_EQ(parser.parse(side_by_side_json(*outcome)).get(json), simdjson::SUCCESS);
  EXPECT_EQ(std::uint64_t(json["ratio_b_to_a"]["throughput_rps"]["count"]), 3U);
}

TEST(SideBySide, RatiosAreBOverA) {
  SideBySide outcome;
  for (const double seconds : {1.0, 2.0}) {
    Pair pair;
    pair.a.totals.succeeded = 100;
    pair.b.totals.succeeded = 50;
    pair.a.seconds = pair.b.seconds = seconds;
    outcome.pairs.push_back(pair);
  }
  const Spread ratio = outcome.ratio([](const Report& report) { return report.throughput_rps(); });
  EXPECT_EQ(ratio.count, 2U);
  EXPECT_NEAR(ratio.mean, 0.5, 1e-12);
  EXPECT_NE(side_by_side_text(outcome).find("0.500"), std::string::npos);
  EXPECT_EQ(outcome.ratio([](const Report&) { return 0.0; }).count, 0U);
}

}  // namespace
}  // namespace headrace::load
