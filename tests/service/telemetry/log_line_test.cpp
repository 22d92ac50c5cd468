#include "service/telemetry/log_line.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace headrace::telemetry {
namespace {

using namespace std::chrono_literals;

std::string line(LogFormat format, std::string_view message, const std::vector<LogField>& fields = {},
                 LogLevel level = LogLevel::info) {
  const auto time = std::chrono::sys_days(std::chrono::year(2026) / 3 / 9) + 4h + 5min + 6s + 7ms;
  return log_line(format, {time, level, message, fields});
}

TEST(LogLine, Text) {
  EXPECT_EQ(line(LogFormat::text, "model ready", {{"model", "digits"}, {"took", "3 ms"}, {"empty", ""}}),
            R"(2026-03-09T04:05:06.007Z info    model ready model=digits took="3 ms" empty="")");
  EXPECT_EQ(line(LogFormat::text, "x", {}, LogLevel::warning), "2026-03-09T04:05:06.007Z warning x");
}

TEST(LogLine, Json) {
  EXPECT_EQ(line(LogFormat::json, "model ready", {{"model", "digits"}}, LogLevel::error),
            R"({"time":"2026-03-09T04:05:06.007Z","level":"error","message":"model ready","model":"digits"})");
}

TEST(LogLine, AValueCannotForgeALine) {
  const std::string evil = "a\nb\r\"\\\t\x01\x7f";
  EXPECT_EQ(line(LogFormat::text, evil, {{"k", evil}}),
            "2026-03-09T04:05:06.007Z info    a\\nb\\r\"\\\\\\t\\u0001\\u007f k=\"a\\nb\\r\\\"\\\\\\t\\u0001\\u007f\"");
  EXPECT_EQ(line(LogFormat::json, evil),
            R"({"time":"2026-03-09T04:05:06.007Z","level":"info","message":"a\nb\r\"\\\t\u0001\u007f"})");
}

TEST(LogLine, JsonStaysValidUtf8) {
  const auto message = [](std::string_view text) {
    const std::string whole = line(LogFormat::json, text);
    const std::size_t at = whole.find("\"message\":\"") + 11;
    return whole.substr(at, whole.size() - at - 2);
  };
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(message("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x92\xA7"),
            "gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x92\xA7");
  EXPECT_EQ(message("\x80"), bad) << "a continuation byte alone";
  EXPECT_EQ(message("\xC3"), bad) << "cut short";
  EXPECT_EQ(message("\xC0\xAF"), bad + bad) << "overlong";
  EXPECT_EQ(message("\xE0\x80\x80"), bad + bad + bad) << "overlong";
  EXPECT_EQ(message("\xED\xA0\x80"), bad + bad + bad) << "surrogate";
  EXPECT_EQ(message("\xF4\x90\x80\x80"), bad + bad + bad + bad) << "beyond U+10FFFF";
  EXPECT_EQ(message("\xFF"
                    "a"),
            bad + "a");
  EXPECT_EQ(message(std::string_view("a\0b", 3)), "a\\u0000b");
}

TEST(LogLine, AFieldCannotReplaceAMemberOfTheLine) {
  const auto text = line(LogFormat::json, "m", {{"message", "x"}, {"level", "y"}, {"time", "z"}});
  EXPECT_NE(text.find(R"("message_":"x","level_":"y","time_":"z")"), std::string::npos) << text;
}

}  // namespace
}  // namespace headrace::telemetry
