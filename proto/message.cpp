#include "proto/message.hpp"

#include <algorithm>

namespace headrace::proto {

std::string concat(std::initializer_list<std::string_view> pieces) {
  std::size_t size = 0;
  for (const auto piece : pieces) size += piece.size();
  std::string text;
  text.reserve(size);
  for (const auto piece : pieces) text += piece;
  return text;
}

std::string excerpt(std::string_view text, std::size_t bytes_max) {
  while (!text.empty() && std::string_view(" \t\r\n").find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  const bool cut = text.size() > bytes_max;
  if (cut) {
    std::size_t end = bytes_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text = text.substr(0, end);
  }
  std::string shown(text);
  std::ranges::replace_if(shown, [](char c) { return static_cast<unsigned char>(c) < 0x20U || c == 0x7F; }, '?');
  if (cut) shown += "...";
  return shown;
}

std::string Place::to_string() const {
  std::string text;
  if (!list.empty()) text = concat({list, "[", Decimal(index).view(), "]"});
  for (const auto key : {field, tail}) {
    if (key.empty()) continue;
    if (!text.empty()) text += '.';
    text += excerpt(key);
  }
  return text;
}

}  // namespace headrace::proto
