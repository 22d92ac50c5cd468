#include "tests/tidy/dead_files.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>

namespace headrace::tidy {
namespace {

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

std::string without_comments(const std::string& cmake) {
  static const std::regex comment(R"(#[^\n]*)");
  return std::regex_replace(cmake, comment, "");
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

bool is_pattern(std::string_view name) { return name.find_first_of("*$") != std::string_view::npos; }

// "ops/${op}/${op}.cpp" → ops/([^/]+)/\1\.cpp
std::regex to_regex(std::string_view name) {
  std::string pattern;
  std::map<std::string, int, std::less<>> groups;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const std::size_t close = name.find('}', at);
    if (name[at] == '$' && close != std::string_view::npos) {
      const auto [group, fresh] =
          groups.try_emplace(std::string(name.substr(at, close - at)), static_cast<int>(groups.size()) + 1);
      pattern += fresh ? "([^/]+)" : "\\" + std::to_string(group->second);
      at = close;
    } else if (name[at] == '*') {
      pattern += "[^/]*";
    } else {
      if (std::string_view(".+()[]^|?\\").find(name[at]) != std::string_view::npos) pattern += '\\';
      pattern += name[at];
    }
  }
  return std::regex(pattern);
}

struct Named {
  std::set<std::string, std::less<>> paths;
  std::vector<std::regex> patterns;

  bool holds(const std::string& path) const {
    return paths.contains(path) || std::ranges::any_of(patterns, [&path](const std::regex& pattern) {
             return std::regex_match(path, pattern);
           });
  }
};

Named named_by(std::span<const Source> build_files) {
  static const std::regex token(R"re([^\s()";]+\.(cpp|cu))re");
  Named named;
  for (const Source& file : build_files) {
    if (!file.path().ends_with("CMakeLists.txt") && !file.path().ends_with(".cmake")) continue;
    std::string text = without_comments(file.text());
    replace_all(text, "${CMAKE_CURRENT_SOURCE_DIR}/", "");
    replace_all(text, "${CMAKE_CURRENT_LIST_DIR}/", "");
    for (std::sregex_iterator next(text.begin(), text.end(), token), end; next != end; ++next) {
      std::string name = next->str();
      for (const std::string_view root : {"${PROJECT_SOURCE_DIR}/", "${CMAKE_SOURCE_DIR}/"}) {
        if (name.starts_with(root)) name = "/" + name.substr(root.size());
      }
      const std::filesystem::path joined = name.starts_with("/") ? name.substr(1) : folder_of(file.path()) + name;
      const std::string path = joined.lexically_normal().generic_string();
      if (is_pattern(path)) {
        named.patterns.push_back(to_regex(path));
      } else {
        named.paths.insert(path);
      }
    }
  }
  return named;
}

std::set<std::string, std::less<>> included_by_others(std::span<const Source> sources) {
  static const std::regex include(R"re(#[ \t]*include[ \t]*"([^"\n]+)")re");
  std::set<std::string, std::less<>> included;
  for (const Source& source : sources) {
    const std::string& code = source.code();
    for (std::sregex_iterator next(code.begin(), code.end(), include), end; next != end; ++next) {
      if ((*next)[1] != source.path()) included.insert((*next)[1]);
    }
  }
  return included;
}

}  // namespace

Findings check_dead_files(std::span<const Source> sources, std::span<const Source> build_files) {
  const Named named = named_by(build_files);
  const auto included = included_by_others(sources);
  Findings findings;
  for (const Source& source : sources) {
    if (source.is_header()) {
      if (!included.contains(source.path())) findings.push_back({source.path(), 0, "a header that no file includes"});
    } else if (!named.holds(source.path())) {
      findings.push_back({source.path(), 0, "a source that no CMakeLists.txt names"});
    }
  }
  return findings;
}

}  // namespace headrace::tidy
