#include "tests/tidy/layout.hpp"

#include <algorithm>
#include <string_view>

namespace headrace::tidy {

namespace {

bool is_raw_literal(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first != std::string_view::npos && line.substr(first).starts_with("R\"");
}

}  // namespace

Findings check_pragma_once(const Source& source) {
  if (!source.is_header()) return {};
  const std::size_t first = source.code().find_first_not_of(" \t\r\n");
  if (first != std::string::npos && source.code().compare(first, 12, "#pragma once") == 0) return {};
  return {{source.path(), 1, "a header begins with #pragma once"}};
}

Findings check_columns(const Source& source) {
  Findings findings;
  std::string_view rest = source.text();
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const auto columns =
        std::ranges::count_if(line, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; });
    if (static_cast<std::size_t>(columns) > columns_max && !is_raw_literal(line)) {
      findings.push_back({source.path(), number,
                          "at most " + std::to_string(columns_max) + " columns, got " + std::to_string(columns)});
    }
    if (line.find('\t') != std::string_view::npos)
      findings.push_back({source.path(), number, "blanks instead of a tab"});
  }
  return findings;
}

}  // namespace headrace::tidy
