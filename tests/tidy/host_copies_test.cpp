#include "tests/tidy/host_copies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headrace::tidy {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

CopyAllowances allow(std::string text) { return read_copy_allowances(Source("list.txt", std::move(text))); }

Findings found(const std::string& path, const std::string& line, const std::string& list = "") {
  return check_host_copies(std::vector<Source>{Source(path, "\n" + line + "\n")}, allow(list));
}

TEST(TidyHostCopies, EveryKindIsFound) {
  for (const auto* const line : {
           "std::memcpy(to, from, n);",
           "memcpy(to, from, n);",
           "::memmove (to, from, n);",
           "__builtin_memcpy(to, from, n);",
           "mempcpy(to, from, n);",
           "std::memcpy(to + i * sizeof value, from, n * sizeof value);",
           "std::copy(a, b, c);",
           "std::copy_n(a, 5, c);",
           "std::copy_backward(a, b, c);",
           "std::ranges::copy(a, c);",
           "ranges::copy_n(a, 5, c);",
           "std::uninitialized_copy(a, b, c);",
           "asio::buffer_copy(a, b);",
       }) {
    const Findings findings = found("service/http/a.cpp", line);
    ASSERT_THAT(findings, SizeIs(1)) << line;
    EXPECT_EQ(findings[0].path, "service/http/a.cpp");
    EXPECT_EQ(findings[0].line, 2U);
    EXPECT_THAT(findings[0].rule, HasSubstr("gpu/host_copy.hpp"));
  }
}

TEST(TidyHostCopies, WhatMovesNothingIsNotFound) {
  for (const auto* const line : {
           "value = std::copysign(x, y);",
           "cudaMemcpyAsync(to, from, n, kind, stream);",
           "// std::memcpy(to, from, n);",
           "log(\"memcpy(\");",
           "auto x = copy(y); copy.begin();",
           "my_memcpy(a, b);",
           "std::memcpy(&value, part, sizeof value);",
           "memcpy(f(a, b), at + i * sizeof(Element),\n    sizeof(Element));",
           "gpu::copy_counted(a, b, n);",
       }) {
    EXPECT_THAT(found("gpu/a.cpp", line), IsEmpty()) << line;
  }
}

TEST(TidyHostCopies, TheProductIsHeldAndTheHelperIsNot) {
  const std::string line = "std::memcpy(to, from, n);";
  for (const auto* const path : {"gpu/a.cpp", "gpu/cuda/a.cu", "proto/a.hpp", "service/pipeline/a.cpp"}) {
    EXPECT_THAT(found(path, line), SizeIs(1)) << path;
  }
  for (const auto* const path : {"gpu/host_copy.hpp", "tests/a.cpp", "load/a.cpp", "deploy/a.cpp"}) {
    EXPECT_THAT(found(path, line), IsEmpty()) << path;
  }
}

TEST(TidyHostCopies, AnAllowanceIsForThatFileAndThatMany) {
  const std::string list = "# why\n\ngpu/a.cpp 1 four bytes\n";
  EXPECT_THAT(found("gpu/a.cpp", "std::memcpy(a, b, 4);", list), IsEmpty());
  const Findings second = found("gpu/a.cpp", "std::memcpy(a, b, 4);\nstd::memcpy(a, b, n);", list);
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_THAT(second[0].rule, HasSubstr("allowed here: 1, found: 2"));
  EXPECT_THAT(found("gpu/b.cpp", "std::memcpy(a, b, 4);", list), SizeIs(2))
      << "one not allowed, one allowed for nothing";
}

TEST(TidyHostCopies, AnAllowanceForWhatIsNotThereIsFound) {
  const Findings gone = found("gpu/a.cpp", "f();", "# a line\ngpu/a.cpp 1 four bytes\n");
  ASSERT_THAT(gone, SizeIs(1));
  EXPECT_EQ(gone[0].path, "list.txt");
  EXPECT_EQ(gone[0].line, 2U);
  EXPECT_THAT(gone[0].rule, HasSubstr("1 copies are allowed and 0 are there"));
}

TEST(TidyHostCopies, EachLineNeedsAReason) {
  for (const auto* const line :
       {"gpu/a.cpp", "gpu/a.cpp 1", "gpu/a.cpp 1  ", "gpu/a.cpp because", "gpu/a.cpp 0 none"}) {
    const auto allowed = allow(line);
    ASSERT_THAT(allowed.malformed, SizeIs(1)) << line;
    EXPECT_THAT(allowed.malformed[0].rule, HasSubstr("PATH COPIES REASON"));
    EXPECT_THAT(allowed.files, IsEmpty());
  }
}

}  // namespace
}  // namespace headrace::tidy
