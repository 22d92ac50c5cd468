#include "tests/tidy/source.hpp"

#include <gtest/gtest.h>

namespace headrace::tidy {
namespace {

std::string code_of(std::string text) { return Source("a.cpp", std::move(text)).code(); }

TEST(TidySource, CommentsAreBlank) {
  EXPECT_EQ(code_of("a; // new\nb"), "a;       \nb");
  EXPECT_EQ(code_of("a /* new\n x */ b"), "a       \n      b");
  EXPECT_EQ(code_of("a / b // \"\nc"), "a / b     \nc");
}

TEST(TidySource, LiteralsAreBlankBetweenTheirQuotes) {
  EXPECT_EQ(code_of(R"(f("new \" x", 'y');)"), R"(f("        ", ' ');)");
  EXPECT_EQ(code_of("'\\'' + '\"'; new"), "'  ' + ' '; new");
  EXPECT_EQ(code_of("R\"(a \" new)\" b"), "R\"         \" b");
  EXPECT_EQ(code_of("R\"x(a )\" new)x\" b"), "R\"            \" b");
  EXPECT_EQ(code_of("\"// no comment\" new"), "\"             \" new");
  EXPECT_EQ(code_of("int n = 16'777'216; new"), "int n = 16'777'216; new");
  EXPECT_EQ(code_of("0xff'ff + u'a' + 1"), "0xff'ff + u' ' + 1");
}

TEST(TidySource, IncludesStay) { EXPECT_EQ(code_of("#include \"a/b.hpp\"\n"), "#include \"a/b.hpp\"\n"); }

TEST(TidySource, UnfinishedTextEndsSomewhere) {
  for (const std::string text : {"\"abc", "/* abc", "R\"(abc", "R\"abc", "'", "\"\\", "//"}) {
    EXPECT_EQ(code_of(text).size(), text.size()) << text;
  }
}

TEST(TidySource, LinesAndFolders) {
  const Source source("gpu/cuda/a.cuh", "1\n2\n3");
  EXPECT_EQ(source.line_of(0), 1U);
  EXPECT_EQ(source.line_of(2), 2U);
  EXPECT_EQ(source.line_of(99), 3U);
  EXPECT_TRUE(source.is_header());
  EXPECT_TRUE(source.is_below("gpu"));
  EXPECT_TRUE(source.is_below("gpu/cuda"));
  EXPECT_FALSE(source.is_below("gp"));
  EXPECT_EQ((Finding{"a.cpp", 3, "rule"}.to_string()), "a.cpp:3: rule");
  EXPECT_EQ((Finding{"a.cpp", 0, "rule"}.to_string()), "a.cpp: rule");
}

}  // namespace
}  // namespace headrace::tidy
