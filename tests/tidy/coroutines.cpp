#include "tests/tidy/coroutines.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <string_view>

namespace headrace::tidy {
namespace {

bool is_word(char c) noexcept { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_blank(char c) noexcept { return c == ' ' || c == '\n' || c == '\t'; }

std::size_t skip_blanks(std::string_view code, std::size_t at) {
  while (at < code.size() && is_blank(code[at])) ++at;
  return at;
}

// The place after the bracket that closes the one at `open`; the end of the text when there is none.
std::size_t past_closing(std::string_view code, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < code.size(); ++at) {
    if (code[at] == '(' || code[at] == '[' || code[at] == '{') ++depth;
    if ((code[at] == ')' || code[at] == ']' || code[at] == '}') && --depth == 0) return at + 1;
  }
  return code.size();
}

// Whether the statement ends with what is awaited: no bracket around it closes, and no operator or second await
// follows.
bool ends_its_statement(std::string_view code, std::size_t at) {
  int depth = 0;
  for (; at < code.size(); ++at) {
    const char c = code[at];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth < 0) return false;
    if (depth > 0) continue;
    if (c == ';') return true;
    if (c == '?' || c == ',' || code.substr(at, 2) == "&&" || code.substr(at, 2) == "||") return false;
    if (code.substr(at, 8) == "co_await") return false;
  }
  return true;
}

bool begins_its_statement(std::string_view code, std::size_t at) {
  const std::size_t boundary = code.substr(0, at).find_last_of(";{}");
  const std::size_t begin = boundary == std::string_view::npos ? 0 : boundary + 1;
  return code.substr(begin, at - begin).find('?') == std::string_view::npos;
}

// A lambda's introducer, and neither a subscript, an attribute nor a structured binding.
bool is_introducer(std::string_view code, std::size_t at) {
  if (code.substr(at, 2) == "[[" || (at > 0 && code[at - 1] == '[')) return false;
  std::size_t before = at;
  while (before > 0 && is_blank(code[before - 1])) --before;
  if (before == 0) return true;
  const char previous = code[before - 1];
  if (previous == ')' || previous == ']' || previous == '"') return false;
  if (!is_word(previous)) return true;
  std::size_t word = before;
  while (word > 0 && is_word(code[word - 1])) --word;
  constexpr std::array<std::string_view, 4> keywords = {"return", "co_return", "co_await", "co_yield"};
  return std::ranges::find(keywords, code.substr(word, before - word)) != keywords.end();
}

// Where the body of the lambda whose introducer ends before `at` opens; npos when there is no body.
std::size_t body_of(std::string_view code, std::size_t at) {
  at = skip_blanks(code, at);
  if (at < code.size() && code[at] == '<') {
    int depth = 0;
    for (; at < code.size(); ++at) {
      if (code[at] == '<') ++depth;
      if (code[at] == '>' && code[at - 1] != '-' && --depth == 0) break;
    }
    at = skip_blanks(code, at + 1);
  }
  if (at < code.size() && code[at] == '(') at = past_closing(code, at);
  int angles = 0;
  for (; at < code.size(); ++at) {
    const char c = code[at];
    if (c == '{') return at;
    if (c == '(') at = past_closing(code, at) - 1;
    if (c == '<') ++angles;
    if (c == '>' && code[at - 1] != '-') --angles;
    if (c == ';' || c == '=' || c == ')' || c == ']' || (c == ',' && angles == 0)) break;
  }
  return std::string_view::npos;
}

void blank(std::string& code, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; ++at) {
    if (code[at] != '\n') code[at] = ' ';
  }
}

}  // namespace

Findings check_awaits(const Source& source) {
  Findings findings;
  const std::string_view code = source.code();
  constexpr std::string_view word = "co_await";
  for (std::size_t at = code.find(word); at != std::string_view::npos; at = code.find(word, at + 1)) {
    const bool whole =
        (at == 0 || !is_word(code[at - 1])) && at + word.size() < code.size() && !is_word(code[at + word.size()]);
    if (!whole || (begins_its_statement(code, at) && ends_its_statement(code, at + word.size()))) continue;
    findings.push_back({source.path(), source.line_of(at), "each co_await is a statement of its own"});
  }
  return findings;
}

Findings check_lambda_coroutines(const Source& source) {
  static const std::regex keyword(R"(\b(co_await|co_return|co_yield)\b)");
  Findings findings;
  std::string code = source.code();
  // From the end, so that a lambda within another is judged and blanked before the one around it.
  for (std::size_t open = code.rfind('['); open != std::string::npos;
       open = open == 0 ? open : code.rfind('[', open - 1)) {
    if (is_introducer(code, open)) {
      const std::size_t close = past_closing(code, open);
      const std::size_t body = body_of(code, close);
      if (body != std::string::npos) {
        const std::size_t end = past_closing(code, body);
        const bool captures = skip_blanks(code, open + 1) + 1 < close;
        const std::string inside = code.substr(body, end - body);
        if (captures && std::regex_search(inside, keyword)) {
          findings.push_back(
              {source.path(), source.line_of(open), "a lambda that captures is no coroutine: pass what it needs"});
        }
        blank(code, body + 1, end - 1);
      }
    }
    if (open == 0) break;
  }
  std::ranges::reverse(findings);
  return findings;
}

}  // namespace headrace::tidy
