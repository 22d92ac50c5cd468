#include "load/option_values.hpp"

#include <gtest/gtest.h>

namespace headrace::load {
namespace {

using namespace std::chrono_literals;

TEST(OptionValues, Durations) {
  EXPECT_EQ(parse_duration("10s").value(), 10s);
  EXPECT_EQ(parse_duration("1.5s").value(), 1500ms);
  EXPECT_EQ(parse_duration("500ms").value(), 500ms);
  EXPECT_EQ(parse_duration("100us").value(), 100us);
  EXPECT_EQ(parse_duration("7ns").value(), 7ns);
  EXPECT_EQ(parse_duration("2m").value(), 120s);
  EXPECT_EQ(parse_duration("1h").value(), 3600s);
  EXPECT_EQ(parse_duration("3").value(), 3s);
  EXPECT_EQ(parse_duration("0s", true).value(), 0s);
  for (const char* text : {"", "s", "0", "0s", "-1s", "1 s", "1d", "1e9999s", "inf", "nan", "999999999h", "0.1ns"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(OptionValues, RowRanges) {
  EXPECT_EQ(parse_row_range("8")->min, 8U);
  EXPECT_EQ(parse_row_range("8")->max, 8U);
  EXPECT_EQ(parse_row_range("1..64")->min, 1U);
  EXPECT_EQ(parse_row_range("1..64")->max, 64U);
  for (const char* text : {"", "0", "..", "1..", "..4", "4..1", "0..4", "1...4", "1-4", "4294967296", "-1", "1..4x"}) {
    EXPECT_FALSE(parse_row_range(text)) << text;
  }
}

}  // namespace
}  // namespace headrace::load
