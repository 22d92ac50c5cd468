#include "proto/json_writer.hpp"

#include <gtest/gtest.h>

namespace headrace::proto {
namespace {

std::string quoted(std::string_view value) {
  std::string text;
  append_json_string(text, value);
  return text;
}

TEST(JsonWriter, escapes_what_must_be_escaped) {
  EXPECT_EQ(quoted(""), R"("")");
  EXPECT_EQ(quoted("a\"b\\c/d"), R"("a\"b\\c/d")");
  EXPECT_EQ(quoted("\n\r\t\b\f"), R"("\n\r\t\u0008\u000c")");
  EXPECT_EQ(quoted(std::string_view("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\x7f\"");
}

TEST(JsonWriter, utf8_passes_through_and_other_bytes_are_replaced) {
  EXPECT_EQ(quoted("\u00e9\u20ac\U0001F600"), "\"\u00e9\u20ac\U0001F600\"");
  for (const auto* bad : {"\x80", "\xff", "\xc0\x80", "\xc3", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"}) {
    EXPECT_FALSE(is_valid_utf8(bad));
    const auto text = quoted(bad);
    EXPECT_TRUE(is_valid_utf8(text)) << text;
    EXPECT_TRUE(text.starts_with("\"\uFFFD")) << text;
  }
  EXPECT_TRUE(is_valid_utf8("\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf"));
}

TEST(JsonWriter, commas_stand_between_items) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().string("a", "x").key("b").begin_array().end_array();
  json.key("c").begin_array().integer(-1).integer(2).begin_object().end_object().boolean(true).end_array();
  json.key("d").begin_object().boolean("e", false).end_object().unsigned_integer("f", UINT64_MAX).end_object();
  EXPECT_EQ(text, R"({"a":"x","b":[],"c":[-1,2,{},true],"d":{"e":false},"f":18446744073709551615})");
}

}  // namespace
}  // namespace headrace::proto
