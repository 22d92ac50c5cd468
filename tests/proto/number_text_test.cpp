#include "proto/number_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>
#include <string>

namespace headrace::proto {
namespace {

template <class Number>
std::optional<Number> whole(std::string_view text, const char* (*parse)(const char*, const char*, Number&) noexcept) {
  Number value{};
  const auto* begin = text.data();
  const auto* end = begin + text.size();
  return parse(begin, end, value) == end ? std::optional(value) : std::nullopt;
}
template <class Float>
std::optional<Float> as_float(std::string_view text) {
  return whole<Float>(text, parse_float);
}
template <class Integer>
std::optional<Integer> as_integer(std::string_view text) {
  return whole<Integer>(text, parse_integer);
}

template <class Float>
void expect_same(const std::string& text, Float expected) {
  const auto value = as_float<Float>(text);
  ASSERT_TRUE(value) << text;
  ASSERT_EQ(*value, expected) << text;
  ASSERT_EQ(std::signbit(*value), std::signbit(expected)) << text;
}

TEST(NumberText, floats_are_rounded_once_against_the_c_library) {
  std::mt19937_64 random(7);
  const auto pick = [&random](int below) { return std::uniform_int_distribution<int>(0, below - 1)(random); };
  for (int i = 0; i < 200'000; ++i) {
    std::string text = pick(2) == 0 ? "-" : "";
    text += std::to_string(pick(3) == 0 ? 0 : random() >> pick(64));
    if (pick(4) != 0) text += "." + std::to_string(random() >> pick(64));
    if (pick(2) != 0) text += "e" + std::to_string(pick(60) - 40);
    if (const auto expected = std::strtof(text.c_str(), nullptr); std::isfinite(expected)) expect_same(text, expected);
    expect_same(text, std::strtod(text.c_str(), nullptr));
  }
}

TEST(NumberText, every_shortest_float_comes_back) {
  std::mt19937 random(11);
  for (int i = 0; i < 100'000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isfinite(value)) continue;
    char text[32];
    const auto* end = std::to_chars(text, text + sizeof text, value).ptr;
    ASSERT_EQ(as_float<float>({text, static_cast<std::size_t>(end - text)}), value);
  }
}

TEST(NumberText, a_tie_is_decided_by_the_decimal_and_not_by_the_double) {
  // 1 + 2^-24 lies halfway between two floats; a double cannot tell the second and third text from it.
  EXPECT_EQ(as_float<float>("1.000000059604644775390625"), 1.0F);
  EXPECT_EQ(as_float<float>("1.00000005960464477539062500000000000001"), 0x1.000002p0F);
  EXPECT_EQ(as_float<float>("1.00000005960464477539062499999999999999"), 1.0F);
  EXPECT_EQ(as_float<float>("16777217"), 16777216.0F);
  EXPECT_EQ(as_float<float>("16777219"), 16777220.0F);
}

TEST(NumberText, underflow_gives_a_zero_and_overflow_nothing) {
  expect_same("1e-400", 0.0);
  expect_same("-1e-400", -0.0);
  expect_same("1e-46", 0.0F);
  expect_same("-0.0", -0.0F);
  expect_same("-0", -0.0F);
  expect_same("1.4e-45", std::numeric_limits<float>::denorm_min());
  expect_same("0.000000001e-99999999999999999999", 0.0);
  expect_same("0e99999999999999999999", 0.0F);
  expect_same("3.4028235e38", std::numeric_limits<float>::max());
  expect_same("1" + std::string(400, '0') + "e-400", 1.0);
  expect_same("0." + std::string(400, '0') + "1e401", 1.0F);
  for (const auto* text : {"1e39", "-1e39", "3.4028236e38", "1e400", "1e99999999999999999999"}) {
    EXPECT_FALSE(as_float<float>(text)) << text;
  }
  EXPECT_FALSE(as_float<double>("1e400"));
  EXPECT_FALSE(as_float<double>("1" + std::string(400, '0')));
}

TEST(NumberText, only_the_grammar_of_json) {
  for (const auto* text :
       {"",    "-",    "+1",  ".5",       "5.",    "5.e1", "01",  "-01", "1e",  "1e+",   "1e-", "inf",
        "nan", "-inf", "NaN", "Infinity", "0x1p3", "1f",   "1_0", "1,0", "- 1", "\"1\"", "true"}) {
    EXPECT_FALSE(as_float<float>(text)) << text;
    EXPECT_FALSE(as_float<double>(text)) << text;
    EXPECT_FALSE(as_integer<std::int32_t>(text)) << text;
    EXPECT_FALSE(as_integer<std::uint64_t>(text)) << text;
  }
}

TEST(NumberText, integers_are_exact_and_range_checked) {
  EXPECT_EQ(as_integer<std::int64_t>("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(as_integer<std::int64_t>("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(as_integer<std::uint64_t>("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(as_integer<std::uint64_t>("-0"), 0U);
  EXPECT_EQ(as_integer<std::int8_t>("-128"), -128);
  for (const auto* text : {"1.0", "1e2", "9223372036854775808", "-9223372036854775809", "99999999999999999999999"}) {
    EXPECT_FALSE(as_integer<std::int64_t>(text)) << text;
  }
  for (const auto* text : {"256", "300", "-1"}) EXPECT_FALSE(as_integer<std::uint8_t>(text)) << text;
  for (const auto* text : {"128", "-129"}) EXPECT_FALSE(as_integer<std::int8_t>(text)) << text;
  EXPECT_FALSE(as_integer<std::uint64_t>("18446744073709551616"));
}

TEST(NumberText, booleans) {
  EXPECT_EQ(whole<std::uint8_t>("true", parse_boolean), 1);
  EXPECT_EQ(whole<std::uint8_t>("false", parse_boolean), 0);
  for (const auto* text : {"", "1", "0", "True", "tru", "truee", "\"true\""}) {
    EXPECT_FALSE(whole<std::uint8_t>(text, parse_boolean)) << text;
  }
}

}  // namespace
}  // namespace headrace::proto
