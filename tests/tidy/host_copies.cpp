#include "tests/tidy/host_copies.hpp"

#include <algorithm>
#include <regex>
#include <sstream>

namespace headrace::tidy {
namespace {

constexpr std::string_view helper = "gpu/host_copy.hpp";

bool is_product(const Source& source) {
  return source.is_below("service") || source.is_below("proto") || source.is_below("gpu");
}

// Whether the call whose bracket opens at `open` has a last argument that is a sizeof: a value that changes its type.
bool is_one_value(const std::string& code, std::size_t open) {
  std::size_t last = open + 1;
  int depth = 0;
  for (std::size_t at = open; at < code.size(); ++at) {
    if (code[at] == '(' || code[at] == '{' || code[at] == '[') ++depth;
    if (code[at] == ')' || code[at] == '}' || code[at] == ']') --depth;
    if (depth == 0) break;
    if (depth == 1 && code[at] == ',') last = at + 1;
  }
  last = code.find_first_not_of(" \n", last);
  return last != std::string::npos && code.compare(last, 6, "sizeof") == 0;
}

std::vector<std::size_t> copies_in(const Source& source) {
  static const std::regex copy(
      R"(\b((__builtin_)?(memcpy|memmove|mempcpy)|bcopy|buffer_copy|uninitialized_copy(_n)?)\s*\()"
      R"(|\b(std|ranges)\s*::\s*copy(_n|_if|_backward)?\s*\()");
  std::vector<std::size_t> lines;
  const std::string& code = source.code();
  for (std::sregex_iterator next(code.begin(), code.end(), copy), end; next != end; ++next) {
    if (is_one_value(code, static_cast<std::size_t>(next->position() + next->length()) - 1)) continue;
    lines.push_back(source.line_of(static_cast<std::size_t>(next->position())));
  }
  return lines;
}

}  // namespace

CopyAllowances read_copy_allowances(const Source& list) {
  CopyAllowances allowed{.list_path = list.path(), .files = {}, .malformed = {}};
  std::istringstream lines(list.text());
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    CopyAllowance file;
    std::istringstream words(line);
    words >> file.path >> file.copies >> std::ws;
    std::getline(words, file.reason);
    file.line = number;
    if (file.copies == 0 || file.reason.empty()) {
      allowed.malformed.push_back({list.path(), number, "expected 'PATH COPIES REASON', got '" + line + "'"});
    } else {
      allowed.files.push_back(std::move(file));
    }
  }
  return allowed;
}

Findings check_host_copies(std::span<const Source> sources, const CopyAllowances& allowed) {
  Findings findings = allowed.malformed;
  std::vector<std::size_t> found_by_file(allowed.files.size(), 0);
  for (const Source& source : sources) {
    if (!is_product(source) || source.path() == helper) continue;
    const auto lines = copies_in(source);
    const auto file = std::ranges::find(allowed.files, source.path(), &CopyAllowance::path);
    const std::size_t may = file == allowed.files.end() ? 0 : file->copies;
    if (file != allowed.files.end()) {
      found_by_file[static_cast<std::size_t>(file - allowed.files.begin())] = lines.size();
    }
    if (lines.size() <= may) continue;
    findings.push_back({source.path(), lines.back(),
                        "moves bytes by itself: payload goes through " + std::string(helper) +
                            ", which counts it; what is none has a line with its reason in " + allowed.list_path +
                            " (allowed here: " + std::to_string(may) + ", found: " + std::to_string(lines.size()) +
                            ")"});
  }
  for (std::size_t i = 0; i < allowed.files.size(); ++i) {
    const CopyAllowance& file = allowed.files[i];
    if (found_by_file[i] >= file.copies) continue;
    findings.push_back({allowed.list_path, file.line,
                        file.path + ": " + std::to_string(file.copies) + " copies are allowed and " +
                            std::to_string(found_by_file[i]) + " are there: bring the line up to date"});
  }
  return findings;
}

}  // namespace headrace::tidy
