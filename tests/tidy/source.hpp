#pragma once
// A source file as the checkers see it.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::tidy {

/// What a checker found. `rule` says what is wanted, and what came where that helps.
struct Finding {
  std::string path;
  std::size_t line = 0;  // from 1; 0: the whole file
  std::string rule;

  std::string to_string() const;
  friend bool operator==(const Finding&, const Finding&) = default;
};
using Findings = std::vector<Finding>;

/// One line a finding, for a test's message.
std::string to_string(const Findings& findings);

class Source {
 public:
  /// `path` from the root of the repository, with '/'.
  Source(std::string path, std::string text);

  const std::string& path() const noexcept { return path_; }
  /// As it is in the file.
  const std::string& text() const noexcept { return text_; }
  /// The same bytes at the same places, but comments and what stands between quotes are blanks; line breaks stay.
  const std::string& code() const noexcept { return code_; }

  /// From 1.
  std::size_t line_of(std::size_t offset) const;
  bool is_header() const noexcept;
  bool is_below(std::string_view folder) const noexcept;

 private:
  std::string path_;
  std::string text_;
  std::string code_;
};

/// Every *.hpp, *.cpp, *.cu and *.cuh of the repository, sorted by path. Folders whose name begins with '.' or "build"
/// are passed over.
std::vector<Source> repository_sources(const std::filesystem::path& root);

/// Every CMakeLists.txt, *.cmake, *.def and *.in, likewise.
std::vector<Source> repository_build_files(const std::filesystem::path& root);

}  // namespace headrace::tidy
