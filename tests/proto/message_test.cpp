#include "proto/message.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace headrace::proto {
namespace {

TEST(Message, decimal_holds_every_integer) {
  EXPECT_EQ(Decimal(std::numeric_limits<std::int64_t>::min()).view(), "-9223372036854775808");
  EXPECT_EQ(Decimal(std::numeric_limits<std::uint64_t>::max()).view(), "18446744073709551615");
  EXPECT_EQ(concat({"a", Decimal(0).view(), "", "b"}), "a0b");
}

TEST(Message, excerpt_cuts_between_characters) {
  EXPECT_EQ(excerpt("short "), "short");
  EXPECT_EQ(excerpt("12345", 5), "12345");
  EXPECT_EQ(excerpt("123456", 5), "12345...");
  EXPECT_EQ(excerpt("1234\u00e9", 5), "1234...");
  EXPECT_EQ(excerpt("a\nb\x7f"), "a?b?");
  EXPECT_EQ(excerpt(std::string(10'000, 'x')), std::string(64, 'x') + "...");
  EXPECT_EQ(excerpt(std::string(100, '\x80'), 8), "...");
}

TEST(Message, places) {
  EXPECT_EQ((Place{.field = "id"}).to_string(), "id");
  EXPECT_EQ((Place{.list = "inputs", .index = 3}).to_string(), "inputs[3]");
  EXPECT_EQ((Place{.list = "outputs", .index = 0, .field = "parameters", .tail = "k"}).to_string(),
            "outputs[0].parameters.k");
}

}  // namespace
}  // namespace headrace::proto
