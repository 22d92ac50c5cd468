#include "tests/tidy/banned.hpp"

#include <array>
#include <cctype>
#include <regex>
#include <string_view>

namespace headrace::tidy {
namespace {

using Where = bool (*)(const Source&);

bool anywhere(const Source&) { return true; }
bool in_headers(const Source& source) { return source.is_header(); }
bool in_tests(const Source& source) { return source.is_below("tests"); }
bool in_product(const Source& source) { return !source.is_below("tests"); }
// Programs speak on standard output; libraries do not.
bool in_libraries(const Source& source) {
  return in_product(source) && !source.is_below("service/app") && !source.is_below("load") &&
         !source.is_below("deploy");
}
bool but_in_spawn(const Source& source) { return source.path() != "service/pipeline/spawn.hpp"; }

struct Word {
  std::string_view word;  // whole
  const char* tail;       // what follows it
  Where where;
  std::string_view rule;
};

constexpr std::string_view default_stream = "no default stream: every slot has a stream of its own";
constexpr std::string_view whole_device = "nothing waits for a whole device";
constexpr std::string_view whole_stream = "nothing waits for a stream: ask for its event";
constexpr std::string_view output = "no output from library code: return it, or log it";
constexpr std::string_view sleeping = "no sleeping in tests: wait for the event";
constexpr std::array words = {
    Word{"cudaStreamLegacy", "", anywhere, default_stream},
    Word{"cudaStreamPerThread", "", anywhere, default_stream},
    Word{"CU_STREAM_LEGACY", "", anywhere, default_stream},
    Word{"CU_STREAM_PER_THREAD", "", anywhere, default_stream},
    Word{"cudaDeviceSynchronize", "", anywhere, whole_device},
    Word{"cuCtxSynchronize", "", anywhere, whole_device},
    Word{"cudaStreamSynchronize", "", anywhere, whole_stream},
    Word{"cuStreamSynchronize", "", anywhere, whole_stream},
    Word{"using", R"(\s+namespace\b)", in_headers, "no 'using namespace' in a header"},
    Word{"new", R"(\s+[A-Za-z_:])", anywhere,
         "no raw new: std::make_unique, std::make_shared, a container, or std::unique_ptr<T>(new T) for a private "
         "constructor"},
    Word{"delete", R"(\s*(\[\s*\]\s*)?[A-Za-z_*])", anywhere, "no raw delete: an owner does it"},
    Word{"std", R"(\s*::\s*(cout|cerr|clog)\b)", in_libraries, output},
    Word{"printf", R"(\s*\()", in_libraries, output},
    Word{"puts", R"(\s*\()", in_libraries, output},
    Word{"sleep_for", "", in_tests, sleeping},
    Word{"sleep_until", "", in_tests, sleeping},
    Word{"usleep", "", in_tests, sleeping},
    Word{"nanosleep", "", in_tests, sleeping},
    Word{"clock_nanosleep", "", in_tests, sleeping},
    Word{"sleep", R"(\s*\()", in_tests, sleeping},
    Word{"asio", R"(\s*::\s*detached\b)", but_in_spawn,
         "no asio::detached, which swallows exceptions: service/pipeline/spawn.hpp logs them, tests get a future"},
};

bool is_word(char c) noexcept { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_whole(const std::string& code, std::size_t begin, std::size_t end) {
  return (begin == 0 || !is_word(code[begin - 1])) && (end >= code.size() || !is_word(code[end]));
}

// `std::unique_ptr<T> name(new T(…))`: how a class whose constructor is private makes itself.
bool is_owned(const std::string& code, std::size_t at) {
  static const std::regex owner(R"(\bstd::unique_ptr<[A-Za-z_:0-9]+>(\s+[a-z_0-9]+)?\(\s*$)");
  const std::size_t statement = code.find_last_of(";{}", at) + 1;  // npos + 1 is the beginning
  return std::regex_search(code.substr(statement, at - statement), owner);
}

// The arguments between <<< and >>>, split at commas that no bracket holds.
std::vector<std::string> launch_arguments(std::string_view text) {
  std::vector<std::string> arguments(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
    if (c == ',' && depth == 0) {
      arguments.emplace_back();
    } else if (c != ' ' && c != '\n') {
      arguments.back() += c;
    }
  }
  return arguments;
}

}  // namespace

Findings check_banned_words(const Source& source) {
  static const auto tails = [] {
    std::vector<std::regex> compiled;
    for (const Word& word : words) compiled.emplace_back(word.tail);
    return compiled;
  }();
  Findings findings;
  const std::string& code = source.code();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& banned = words[i];
    if (!banned.where(source)) continue;
    for (std::size_t at = code.find(banned.word); at != std::string::npos; at = code.find(banned.word, at + 1)) {
      const std::size_t end = at + banned.word.size();
      const auto rest = code.begin() + static_cast<std::ptrdiff_t>(end);
      if (!is_whole(code, at, end)) continue;
      if (banned.word == "new" && is_owned(code, at)) continue;
      if (!std::regex_search(rest, code.end(), tails[i], std::regex_constants::match_continuous)) continue;
      findings.push_back({source.path(), source.line_of(at), std::string(banned.rule)});
    }
  }
  return findings;
}

Findings check_launches(const Source& source) {
  Findings findings;
  const std::string& code = source.code();
  for (std::size_t open = code.find("<<<"); open != std::string::npos; open = code.find("<<<", open + 3)) {
    const std::size_t close = code.find(">>>", open);
    if (close == std::string::npos) break;
    const auto arguments = launch_arguments(std::string_view(code).substr(open + 3, close - open - 3));
    const bool named =
        arguments.size() == 4 && arguments[3] != "0" && arguments[3] != "nullptr" && arguments[3] != "NULL";
    if (!named) {
      findings.push_back(
          {source.path(), source.line_of(open), "a launch names its stream: <<<grid, block, bytes, stream>>>"});
    }
  }
  return findings;
}

}  // namespace headrace::tidy
