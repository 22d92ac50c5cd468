#include "proto/json_scan.hpp"

#include <gtest/gtest.h>

#include <string>

#include "proto/limits.hpp"

namespace headrace::proto {
namespace {

using Fault = JsonCheck::Fault;

TEST(JsonScan, takes_what_is_json) {
  for (const auto* text : {"0", "-0", "10", "1.5", "-1e5", "1E+05", "2.0e-3", "true", "false", "null", R"("")",
                           R"("a\"\\\/\b\f\n\r\tA")", "[]", "{}", " [ ] ", "[1,[2],{}]",
                           R"({"a":1,"b":[{"c":null}], "d" : "x"})", "\t\r\n1 ", R"(["\u00e9\uFFFF"])"}) {
    EXPECT_EQ(check_json(text).fault, Fault::none) << text;
  }
}

TEST(JsonScan, refuses_what_is_not) {
  for (const auto* text :
       {"",           " ",        "01",  "1.",  ".5",       "+1",        "-",           "1e",     "1e+",        "0x1",
        "NaN",        "Infinity", "nan", "tru", "truex",    "nul",       "[",           "]",      "[1,]",       "[,1]",
        "[1 2]",      "{",        "}",   "{,}", R"({"a"})", R"({"a":})", R"({"a":1,})", "{1:2}",  R"({"a" 1})", "[1}",
        R"({"a":1])", "[]]",      "1 1", "\"",  R"("\x")",  R"("\u12")", R"("\u12g4")", "\"\n\"", "'a'",        "[1]x",
        "\"\\",       "{\"a"}) {
    EXPECT_EQ(check_json(text).fault, Fault::malformed) << text;
  }
}

TEST(JsonScan, names_the_place_of_the_fault) {
  EXPECT_EQ(check_json("[1,2,x]").offset, 5U);
  EXPECT_EQ(check_json("[1,2").offset, 4U);
  EXPECT_EQ(check_json(R"({"a":1 "b":2})").offset, 7U);
}

TEST(JsonScan, depth_is_bounded_without_recursion) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(check_json(nested(json_depth_max)).fault, Fault::none);
  EXPECT_EQ(check_json(nested(json_depth_max + 1)).fault, Fault::too_deep);
  EXPECT_EQ(check_json(nested(100'000)).fault, Fault::too_deep);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += R"({"a":)";
  EXPECT_EQ(check_json(objects).fault, Fault::too_deep);
}

TEST(JsonScan, tokens_for_messages) {
  const auto token = [](std::string_view text) { return token_at(text.data(), text.data() + text.size()); };
  EXPECT_EQ(token("1.0,2"), "1.0");
  EXPECT_EQ(token("NaN]"), "NaN");
  EXPECT_EQ(token("\"a,b\",1"), "\"a,b\"");
  EXPECT_EQ(token("\"open"), "\"open");
  EXPECT_EQ(token("],"), "]");
  EXPECT_EQ(token(""), "");
}

}  // namespace
}  // namespace headrace::proto
