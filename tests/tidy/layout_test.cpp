#include "tests/tidy/layout.hpp"

#include <gtest/gtest.h>

namespace headrace::tidy {
namespace {

TEST(TidyLayout, PragmaOnceComesFirst) {
  EXPECT_TRUE(check_pragma_once(Source("a.hpp", "// what it is\n#pragma once\nint a;")).empty());
  EXPECT_TRUE(check_pragma_once(Source("a.cpp", "int a;")).empty());
  for (const std::string text : {"", "int a;", "#include <a>\n#pragma once", "// #pragma once"}) {
    for (const std::string path : {"a.hpp", "a.cuh"}) {
      const Findings findings = check_pragma_once(Source(path, text));
      ASSERT_EQ(findings.size(), 1U) << text;
      EXPECT_EQ(findings[0].to_string(), path + ":1: a header begins with #pragma once");
    }
  }
}

TEST(TidyLayout, ColumnsAreCharacters) {
  std::string wide;
  for (int i = 0; i < 120; ++i) wide += "·";
  EXPECT_TRUE(check_columns(Source("a.cpp", std::string(120, 'x') + "\n" + wide)).empty());
  const Findings findings = check_columns(Source("a.cpp", "short\n" + std::string(121, 'x') + "\n" + wide + "x"));
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].to_string(), "a.cpp:2: at most 120 columns, got 121");
  EXPECT_EQ(findings[1].line, 3U);
  EXPECT_TRUE(check_columns(Source("a.cpp", "  R\"(" + std::string(200, 'x') + ")\"")).empty());
}

TEST(TidyLayout, TabsAreRefused) {
  const Findings findings = check_columns(Source("a.cpp", "a\n\tb\n"));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].line, 2U);
}

}  // namespace
}  // namespace headrace::tidy
