#include "tests/tidy/source.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <utility>

namespace headrace::tidy {
namespace {

bool is_word(char c) noexcept { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Writes blanks over comments and literals; what it keeps stays at its place.
class Blanker {
 public:
  explicit Blanker(std::string text) : text_(std::move(text)) {}

  std::string run() {
    while (at_ < text_.size()) {
      if (starts("//")) {
        blank_until(text_.find('\n', at_));
      } else if (starts("/*")) {
        blank_past(text_.find("*/", at_ + 2), 2);
      } else if (text_[at_] == '"' && is_include()) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_[at_] == '"' && is_raw()) {
        raw_literal();
      } else if (text_[at_] == '"' || (text_[at_] == '\'' && !is_digit_separator())) {
        literal(text_[at_]);
      } else {
        ++at_;
      }
    }
    return std::move(text_);
  }

 private:
  bool starts(std::string_view token) const { return text_.compare(at_, token.size(), token) == 0; }

  bool is_include() const {
    const std::size_t line = text_.rfind('\n', at_) == std::string::npos ? 0 : text_.rfind('\n', at_) + 1;
    return text_.compare(line, 8, "#include") == 0;
  }

  bool is_raw() const {
    if (at_ == 0 || text_[at_ - 1] != 'R') return false;
    return at_ == 1 || !is_word(text_[at_ - 2]) || text_[at_ - 2] == '8' || text_[at_ - 2] == 'u' ||
           text_[at_ - 2] == 'L';
  }

  bool is_digit_separator() const {
    return at_ > 0 && std::isxdigit(static_cast<unsigned char>(text_[at_ - 1])) != 0 && at_ + 1 < text_.size() &&
           std::isxdigit(static_cast<unsigned char>(text_[at_ + 1])) != 0 && starts_number();
  }

  // Whether the word that ends before `at_` begins with a digit: 16'777'216, but not u'a'.
  bool starts_number() const {
    std::size_t begin = at_;
    while (begin > 0 && (is_word(text_[begin - 1]) || text_[begin - 1] == '\'')) --begin;
    return std::isdigit(static_cast<unsigned char>(text_[begin])) != 0;
  }

  void blank_until(std::size_t end) {
    end = std::min(end, text_.size());
    for (; at_ < end; ++at_) {
      if (text_[at_] != '\n') text_[at_] = ' ';
    }
  }
  void blank_past(std::size_t found, std::size_t length) {
    blank_until(found == std::string::npos ? found : found + length);
  }

  void raw_literal() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string::npos) return blank_until(open);
    const std::string close = ")" + text_.substr(at_ + 1, open - at_ - 1) + "\"";
    const std::size_t end = text_.find(close, open);
    ++at_;
    blank_until(end == std::string::npos ? end : end + close.size() - 1);
    ++at_;
  }

  void literal(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    ++at_;
    blank_until(end);
    ++at_;
  }

  std::string text_;
  std::size_t at_ = 0;
};

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [name](std::string_view ending) { return name.ends_with(ending); });
}

std::string read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::vector<Source> walk(const std::filesystem::path& root, std::initializer_list<std::string_view> endings) {
  std::vector<Source> sources;
  std::filesystem::recursive_directory_iterator next(root);
  for (const auto end = std::filesystem::end(next); next != end; ++next) {
    const std::string name = next->path().filename().string();
    if (next->is_directory()) {
      if (name.starts_with(".") || name.starts_with("build")) next.disable_recursion_pending();
    } else if (ends_with_any(name, endings)) {
      sources.emplace_back(next->path().lexically_relative(root).generic_string(), read(next->path()));
    }
  }
  std::ranges::sort(sources, {}, &Source::path);
  return sources;
}

}  // namespace

std::string Finding::to_string() const { return path + (line == 0 ? "" : ":" + std::to_string(line)) + ": " + rule; }

std::string to_string(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings) text += finding.to_string() + "\n";
  return text;
}

Source::Source(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)), code_(Blanker(text_).run()) {}

std::size_t Source::line_of(std::size_t offset) const {
  const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text_.size()));
  return static_cast<std::size_t>(std::count(text_.begin(), end, '\n')) + 1;
}

bool Source::is_header() const noexcept { return path_.ends_with(".hpp") || path_.ends_with(".cuh"); }

bool Source::is_below(std::string_view folder) const noexcept {
  return path_.starts_with(folder) && path_.size() > folder.size() && path_[folder.size()] == '/';
}

std::vector<Source> repository_sources(const std::filesystem::path& root) {
  return walk(root, {".hpp", ".cpp", ".cu", ".cuh"});
}

std::vector<Source> repository_build_files(const std::filesystem::path& root) {
  return walk(root, {"CMakeLists.txt", ".cmake", ".def", ".in"});
}

}  // namespace headrace::tidy
