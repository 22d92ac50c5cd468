#include "service/models/fault_text.hpp"

#include <gtest/gtest.h>

namespace headrace::models {
namespace {

TEST(FaultText, WhatCannotBeShownIsEscaped) {
  EXPECT_EQ(printable("plain größe"), "plain größe");
  EXPECT_EQ(printable("a\nb\x1b[2J\x7f"), "a\\x0ab\\x1b[2J\\x7f");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(FaultText, QuotesAreCutBetweenCharacters) {
  EXPECT_EQ(in_quotes(""), "''");
  EXPECT_EQ(in_quotes(std::string(80, 'a')), "'" + std::string(80, 'a') + "'");
  EXPECT_EQ(in_quotes(std::string(81, 'a')), "'" + std::string(80, 'a') + "…'");
  EXPECT_EQ(in_quotes(std::string(79, 'a') + "öb"), "'" + std::string(79, 'a') + "…'");
}

TEST(FaultText, Names) {
  EXPECT_TRUE(is_name("digits"));
  EXPECT_TRUE(is_name("dense/Softmax:0"));
  EXPECT_TRUE(is_name("größe"));
  EXPECT_TRUE(is_name(std::string(255, 'n')));
  EXPECT_FALSE(is_name(""));
  EXPECT_FALSE(is_name(std::string(256, 'n')));
  EXPECT_FALSE(is_name("a\tb"));
  EXPECT_FALSE(is_name("a\x7f"));
  EXPECT_FALSE(is_name("\xff"));
}

}  // namespace
}  // namespace headrace::models
