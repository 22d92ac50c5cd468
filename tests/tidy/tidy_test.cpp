// The whole repository under every checker. A failure lists file, line and rule; the checkers' own tests are beside
// them.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "tests/tidy/banned.hpp"
#include "tests/tidy/coroutines.hpp"
#include "tests/tidy/dead_files.hpp"
#include "tests/tidy/host_copies.hpp"
#include "tests/tidy/include_arrows.hpp"
#include "tests/tidy/layout.hpp"

namespace headrace::tidy {
namespace {

const std::vector<Source>& sources() {
  static const std::vector<Source> read = repository_sources(HEADRACE_SOURCE_DIR);
  return read;
}
const std::vector<Source>& build_files() {
  static const std::vector<Source> read = repository_build_files(HEADRACE_SOURCE_DIR);
  return read;
}

void expect_none(Findings (*check)(const Source&)) {
  Findings all;
  for (const Source& source : sources()) {
    if (source.path() == "deploy/cmake/compiler_probe.cpp") continue;  // its habits are bad on purpose
    const Findings found = check(source);
    all.insert(all.end(), found.begin(), found.end());
  }
  EXPECT_TRUE(all.empty()) << to_string(all);
}

TEST(Tidy, TheRepositoryIsSeen) {
  EXPECT_GT(sources().size(), 100U);
  EXPECT_GT(build_files().size(), 10U);
}

TEST(Tidy, IncludeArrows) {
  std::vector<std::string_view> others;
  for (const Source& file : build_files()) {
    std::string_view path = file.path();
    if (path.ends_with(".in")) path.remove_suffix(3);  // what configure_file makes of it
    others.push_back(path);
  }
  const Findings findings = check_include_arrows(sources(), others);
  EXPECT_TRUE(findings.empty()) << to_string(findings);
}

TEST(Tidy, DeadFiles) {
  const Findings findings = check_dead_files(sources(), build_files());
  EXPECT_TRUE(findings.empty()) << to_string(findings);
}

TEST(Tidy, HostCopies) {
  const std::string path = "tests/tidy/host_copies.txt";
  std::ifstream file(std::filesystem::path(HEADRACE_SOURCE_DIR) / path);
  ASSERT_TRUE(file) << path;
  const Source list(path, {std::istreambuf_iterator<char>(file), {}});
  const Findings findings = check_host_copies(sources(), read_copy_allowances(list));
  EXPECT_TRUE(findings.empty()) << to_string(findings);
}

TEST(Tidy, BannedWords) { expect_none(check_banned_words); }
TEST(Tidy, Launches) { expect_none(check_launches); }
TEST(Tidy, PragmaOnce) { expect_none(check_pragma_once); }
TEST(Tidy, Columns) { expect_none(check_columns); }

TEST(Tidy, AwaitsAreStatements) { expect_none(check_awaits); }
TEST(Tidy, NoCapturingLambdaCoroutines) { expect_none(check_lambda_coroutines); }

}  // namespace
}  // namespace headrace::tidy
