#include "proto/number_text.hpp"

#include <algorithm>

namespace headrace::proto {

bool is_below_one(std::string_view token, const DecimalNumber& number) noexcept {
  const auto mantissa = token.substr(0, token.find_first_of("eE"));
  const auto first = std::ranges::find_if(mantissa, [](char c) { return c >= '1' && c <= '9'; });
  const auto digits = std::count_if(first, mantissa.end(), is_digit);
  // digits before the exponent's effect: 0.d1d2… × 10^(exponent + digits)
  return number.exponent + digits <= 0;
}

}  // namespace headrace::proto
