#include "load/repeat.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

namespace headrace::load {
namespace {

Report one(std::uint64_t succeeded, double seconds) {
  Report report;
  report.seconds = seconds;
  report.totals.requests = report.totals.succeeded = succeeded;
  report.totals.timeline.start(TimePoint{});
  for (std::uint64_t i = 0; i < succeeded; ++i) {
    report.totals.latency.record(1000 * succeeded);
    report.totals.timeline.add_success(TimePoint{}, 1000 * succeeded);
  }
  return report;
}

TEST(Repeat, RunsAreAddedAndTheirFiguresKept) {
  const Report report = joined({one(10, 1), one(20, 1), one(30, 2)});
  EXPECT_EQ(report.totals.succeeded, 60U);
  EXPECT_EQ(report.seconds, 4);
  EXPECT_EQ(report.totals.latency.count(), 60U);
  ASSERT_EQ(report.repeats.size(), 3U);
  EXPECT_EQ(report.repeats[2].throughput_rps, 15);
  EXPECT_EQ(report.repeats[1].p50_us, 20);
  ASSERT_EQ(report.totals.timeline.slices().size(), 3U);  // one after the other
  EXPECT_EQ(report.totals.timeline.slices()[1].succeeded, 20U);
  simdjson::dom::parser parser;
  simdjson::dom::element json;
  ASSERT_EQ(parser.parse(report_json(report)).get(json), simdjson::SUCCESS);
  EXPECT_EQ(double(json["repeats"]["throughput_rps"]["mean"]), 15);
  EXPECT_EQ(simdjson::dom::array(json["series"]["succeeded"]).size(), 3U);
  EXPECT_NE(report_text(report).find("95 % interval"), std::string::npos);
}

TEST(Repeat, OneRunIsItself) {
  const Report report = joined({one(10, 1)});
  EXPECT_TRUE(report.repeats.empty());
  EXPECT_EQ(report_text(report).find("95 % interval"), std::string::npos);
}

}  // namespace
}  // namespace headrace::load
