#include "load/csv.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace headrace::load {
namespace {

TEST(Csv, EveryColumnHasItsValue) {
  Report report;
  report.url = "http://h:1";
  report.model = "m";
  report.format = "binary";
  report.seconds = 2;
  report.totals.succeeded = 100;
  for (std::uint64_t i = 1; i <= 100; ++i) report.totals.latency.record(i * 1000);
  const std::string head = csv_head();
  const std::string line = csv_line("8", report);
  EXPECT_EQ(std::count(head.begin(), head.end(), ','), std::count(line.begin(), line.end(), ','));
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  EXPECT_TRUE(line.starts_with("8,http://h:1,m,binary,closed,0,")) << line;
  EXPECT_NE(line.find(",50.000,"), std::string::npos) << line;  // requests/s, and p50 within its bucket
}

TEST(Csv, FieldsWithSignificantCharactersAreQuoted) {
  Report report;
  report.model = "a,\"b\"";
  EXPECT_NE(csv_line("run", report).find(",\"a,\"\"b\"\"\","), std::string::npos);
}

}  // namespace
}  // namespace headrace::load
