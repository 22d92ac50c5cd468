#pragma once
// Pieces of error messages: numbers, places in the request, and client text cut to a sane length.

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace headrace::proto {

/// The digits of an integer, held in place.
class Decimal {
 public:
  template <std::integral Integer>
  explicit Decimal(Integer value) noexcept {
    const auto* end = std::to_chars(digits_.data(), digits_.data() + digits_.size(), value).ptr;
    size_ = static_cast<std::size_t>(end - digits_.data());
  }
  std::string_view view() const noexcept { return {digits_.data(), size_}; }

 private:
  std::array<char, 24> digits_;
  std::size_t size_ = 0;
};

std::string concat(std::initializer_list<std::string_view> pieces);

/// Client text for a message: at most `bytes_max` bytes, cut between UTF-8 characters and then marked by "...",
/// trailing blanks dropped, control characters shown as '?'.
std::string excerpt(std::string_view text, std::size_t bytes_max = 64);

/// A place in the request, turned into text only when a message needs it: "inputs[3].shape", "inputs[3]", "id". Keys
/// may be client text; each is cut like an excerpt.
struct Place {
  std::string_view list{};   // "inputs" or "outputs"; empty at the top
  std::size_t index = 0;   // within the list
  std::string_view field{};  // may be empty
  std::string_view tail{};   // a key below the field, may be empty

  std::string to_string() const;
};

}  // namespace headrace::proto
