#pragma once
// Who may include whom, as a table. See "Rules" in this folder's README.

#include <span>
#include <string_view>
#include <vector>

#include "tests/tidy/source.hpp"

namespace headrace::tidy {

/// A folder's row. The row with the longest matching `folder` decides; it may be a file, for the one place where an
/// arrow that its folder must not have is wanted.
struct ArrowRule {
  std::string_view folder;
  /// Of ours: "proto/**" is all below, "gpu/*" the files in that folder only, anything else one file.
  std::vector<std::string_view> ours;
  /// Packages by the names of `packages()`; "spdlog privately": not in a header that another folder includes. std and
  /// the system's own headers are free to all.
  std::vector<std::string_view> packages;
  std::string_view why;  // the rule in words
};
std::span<const ArrowRule> arrow_rules();

struct Package {
  std::string_view name;
  std::vector<std::string_view> prefixes;  // of what stands between < and >
};
std::span<const Package> packages();

/// Checks every #include of every source against the table. A quoted include that is no file of `sources` or of
/// `other_files` is a finding too, as is a package that no row of `packages()` knows.
Findings check_include_arrows(std::span<const Source> sources, std::span<const std::string_view> other_files = {});

}  // namespace headrace::tidy
