#include "tests/tidy/dead_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace headrace::tidy {
namespace {

std::vector<std::string> dead(const std::vector<Source>& sources, const std::vector<Source>& build_files) {
  std::vector<std::string> paths;
  for (const Finding& finding : check_dead_files(sources, build_files)) paths.push_back(finding.path);
  return paths;
}

TEST(TidyDeadFiles, SourcesThatCMakeNames) {
  const std::vector<Source> build_files = {
      Source("a/CMakeLists.txt",
             "add_library(a one.cpp\n  sub/two.cu ../support/five.cpp \"${CMAKE_CURRENT_SOURCE_DIR}/three.cpp\") # "
             "four.cpp"),
      Source("deploy/cmake/x.cmake", "try_run(a b \"${PROJECT_SOURCE_DIR}/deploy/cmake/probe.cpp\")")};
  const auto source = [](std::string path) { return Source(std::move(path), ""); };
  EXPECT_THAT(dead({source("a/one.cpp"), source("a/sub/two.cu"), source("a/three.cpp"), source("support/five.cpp"),
                    source("deploy/cmake/probe.cpp")},
                   build_files),
              ::testing::IsEmpty());
  EXPECT_THAT(
      dead({source("a/four.cpp"), source("b/one.cpp"), source("a/two.cu"), source("a/ne.cpp"), source("one.cpp")},
           build_files),
      ::testing::ElementsAre("a/four.cpp", "b/one.cpp", "a/two.cu", "a/ne.cpp", "one.cpp"));
}

TEST(TidyDeadFiles, NamesMayBePatterns) {
  const std::vector<Source> build_files = {Source(
      "gpu/CMakeLists.txt", "file(GLOB shared ops/*.cpp)\nlist(APPEND s \"ops/${op}/${op}.cpp\")\nx(${t}_test.cpp)")};
  const auto source = [](std::string path) { return Source(std::move(path), ""); };
  EXPECT_THAT(
      dead({source("gpu/ops/step.cpp"), source("gpu/ops/relu/relu.cpp"), source("gpu/ring_test.cpp")}, build_files),
      ::testing::IsEmpty());
  EXPECT_THAT(
      dead({source("gpu/ops/relu/other.cpp"), source("gpu/ring.cpp"), source("gpu/ops/relu/xcpp.cu")}, build_files),
      ::testing::ElementsAre("gpu/ops/relu/other.cpp", "gpu/ring.cpp", "gpu/ops/relu/xcpp.cu"));
}

TEST(TidyDeadFiles, HeadersThatAnotherFileIncludes) {
  const std::vector<Source> build_files = {Source("CMakeLists.txt", "add_executable(m m.cpp)")};
  EXPECT_THAT(dead({Source("a.hpp", ""), Source("b.hpp", "#include \"b.hpp\""), Source("c.cuh", "// nobody"),
                    Source("m.cpp", "#include \"a.hpp\"\n// #include \"c.cuh\"")},
                   build_files),
              ::testing::ElementsAre("b.hpp", "c.cuh"));
}

}  // namespace
}  // namespace headrace::tidy
