#include "load/report.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

namespace headrace::load {
namespace {

Report sample() {
  Report report;
  report.url = "http://h:1";
  report.model = "m \"quoted\"";
  report.format = "binary";
  report.rows_per_request = "1..4";
  report.open_loop = true;
  report.rate = 100;
  report.connections = 8;
  report.threads = 2;
  report.seconds = 2;
  for (std::uint64_t i = 1; i <= 100; ++i) {
    report.totals.latency.record(i * 1000);
    report.totals.service.record(i * 500);
    report.totals.lateness.record(10);
  }
  report.totals.requests = 101;
  report.totals.succeeded = 100;
  report.totals.rows = 250;
  report.totals.all_requests = 200;
  report.totals.errors.count_status(429, "{\"error\":\"full\"}");
  report.cpu_seconds = 0.001;
  return report;
}

TEST(Report, JsonHasTheFixedNames) {
  simdjson::dom::parser parser;
  simdjson::dom::element json;
  ASSERT_EQ(parser.parse(report_json(sample())).get(json), simdjson::SUCCESS);
  EXPECT_EQ(std::uint64_t(json["requests"]), 101U);
  EXPECT_EQ(std::uint64_t(json["succeeded"]), 100U);
  EXPECT_EQ(std::uint64_t(json["rows"]), 250U);
  EXPECT_EQ(double(json["seconds"]), 2);
  EXPECT_EQ(double(json["throughput_rps"]), 50);
  EXPECT_EQ(std::uint64_t(json["errors"]["total"]), 1U);
  EXPECT_EQ(std::uint64_t(json["errors"]["http_429"]), 1U);
  EXPECT_EQ(std::uint64_t(json["errors"]["timeout"]), 0U);
  for (const char* name : {"latency_us", "service_us", "lateness_us"}) {
    for (const char* key : {"mean", "p50", "p90", "p99", "p99_9", "p99_99", "max"}) {
      EXPECT_EQ(json[name][key].error(), simdjson::SUCCESS) << name << ' ' << key;
    }
  }
  EXPECT_NEAR(double(json["latency_us"]["p50"]), 50, 0.05);
  EXPECT_NEAR(double(json["latency_us"]["max"]), 100, 0.05);
  EXPECT_EQ(std::string_view(json["settings"]["model"]), "m \"quoted\"");
  EXPECT_NEAR(double(json["generator"]["cpu_us_per_request"]), 5, 1e-9);
}

TEST(Report, ErrorsFailUnlessAllowed) {
  const Report report = sample();
  EXPECT_TRUE(report.failed({}));
  EXPECT_TRUE(report.failed({"timeout", "http_404", "http_5xx"}));
  EXPECT_FALSE(report.failed({"http_429"}));
  EXPECT_FALSE(report.failed({"http_4xx"}));
}

TEST(Report, ARunThatMeasuredNothingFails) { EXPECT_TRUE(Report{}.failed({})); }

TEST(Report, SaysWhenTheGeneratorWasTheLimit) {
  Report report = sample();
  EXPECT_TRUE(report.limit().empty());
  report.busy = 0.99;
  EXPECT_NE(report.limit().find("busy"), std::string::npos);
  for (int i = 0; i < 10; ++i) report.totals.lateness.record(Report::lateness_p99_ns_max * 2);
  EXPECT_NE(report.limit().find("late"), std::string::npos);
  EXPECT_NE(report_text(report).find("FAILED"), std::string::npos);
  EXPECT_TRUE(report.generator_failed());
  report.open_loop = false;
  EXPECT_NE(report_text(report).find("WARNING"), std::string::npos);
  EXPECT_FALSE(report.generator_failed());
}

TEST(Report, TextShowsRatesPercentilesAndErrors) {
  const std::string text = report_text(sample());
  for (const char* part : {"50.0/s", "125.0/s", "p99.9", "lateness", "http_429", "full", "open loop at 100"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

}  // namespace
}  // namespace headrace::load
