#include "load/objectives.hpp"

#include <gtest/gtest.h>

#include "load/exit_status.hpp"

namespace headrace::load {
namespace {

std::vector<Objective> objectives(std::string_view text) {
  auto parsed = parse_objectives(text);
  EXPECT_TRUE(parsed) << parsed.error();
  return parsed ? *parsed : std::vector<Objective>{};
}

/// 100 requests in two seconds, latencies 1 … 98 ms, two refused.
Report sample() {
  Report report;
  report.seconds = 2;
  report.totals.requests = 100;
  report.totals.succeeded = 98;
  for (std::uint64_t i = 1; i <= 98; ++i) report.totals.latency.record(i * 1'000'000);
  report.totals.errors.count_status(429, "full");
  report.totals.errors.count_status(429, "full");
  return report;
}

TEST(Objectives, AreMetAtTheirBound) {
  for (const char* met : {"max=98ms", "p50=50ms", "errors=2", "errors=2%", "throughput=49", "p99.99=1s,errors=3"}) {
    EXPECT_TRUE(missed(objectives(met), sample()).empty()) << met;
  }
  for (const char* not_met : {"max=97ms", "p50=48ms", "errors=1", "errors=1.9%", "throughput=49.1", "p99.9=90ms"}) {
    EXPECT_EQ(missed(objectives(not_met), sample()).size(), 1U) << not_met;
  }
  EXPECT_EQ(missed(objectives("p99=1ms,errors=0,throughput=1000"), sample()).size(), 3U);
  EXPECT_EQ(missed(objectives("p99=1s,errors=0"), Report{}).size(), 2U);  // nothing measured
}

TEST(Objectives, AMissSaysWhatCame) {
  EXPECT_EQ(missed(objectives("errors=0"), sample()).front(), "errors=0: 2 of 100 requests went wrong");
  EXPECT_EQ(missed(objectives("max=5ms"), sample()).front(), "max=5ms: the latency was 98000.0 us");
}

TEST(Objectives, WrongOnesAreRefused) {
  for (const char* text : {"", "p99", "p99=", "p98=5ms", "errors=-1", "errors=x", "errors=%", "p99=5ms,", "=5",
                           "throughput=fast", "p99=0ms", "throughput=1%"}) {
    EXPECT_FALSE(parse_objectives(text)) << text;
  }
}

TEST(ExitStatus, AnObjectiveOnErrorsReplacesTheAllowedOnes) {
  RunOptions options;
  EXPECT_EQ(exit_status(sample(), options), exit_errors);
  options.objectives = objectives("errors=2%");
  EXPECT_EQ(exit_status(sample(), options), 0);
  options.objectives = objectives("errors=1%");
  options.allowed_errors = {"http_429"};
  EXPECT_EQ(exit_status(sample(), options), exit_errors);
  options.objectives = objectives("p99=1s");
  EXPECT_EQ(exit_status(sample(), options), 0);
}

TEST(ExitStatus, WrongAnswersAlwaysFail) {
  Report report = sample();
  report.totals.errors.count(ErrorKind::wrong_id, "x");
  RunOptions options;
  options.objectives = objectives("errors=50%");
  EXPECT_EQ(exit_status(report, options), exit_errors);
}

TEST(ExitStatus, AGeneratorThatWasTooSlowFailsAnOpenLoop) {
  Report report = sample();
  report.totals.errors = {};
  report.busy = 1;
  EXPECT_EQ(exit_status(report, {}), 0);
  report.open_loop = true;
  EXPECT_EQ(exit_status(report, {}), exit_generator);
  EXPECT_EQ(worse_status(exit_generator, exit_errors), exit_errors);
  EXPECT_EQ(worse_status(0, exit_generator), exit_generator);
}

}  // namespace
}  // namespace headrace::load
