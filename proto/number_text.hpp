#pragma once
// One JSON number or boolean → one element. Each `parse` gives the end of what it read, or nullptr when the text does
// not start with a value of that kind or its value does not fit; what follows the value is for the caller to check.

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "proto/float16.hpp"
#include "proto/json_scan.hpp"

namespace headrace::proto {

template <class Integer>
const char* parse_integer(const char* p, const char* end, Integer& value) noexcept {
  const char* digits = p + (p != end && *p == '-' ? 1 : 0);
  if (digits == end || !is_digit(*digits)) return nullptr;
  if (*digits == '0') {
    value = 0;
    return digits + 1;
  }
  const auto [stop, error] = std::from_chars(p, end, value);
  return error == std::errc{} ? stop : nullptr;
}

/// A decimal number taken apart: value = significand × 10^exponent, exact while `exact` holds.
struct DecimalNumber {
  std::uint64_t significand = 0;
  std::int64_t exponent = 0;
  bool negative = false;
  bool exact = true;
};

// Appends the digits at `p`, eight characters at a time where the text allows, and gives the end of them. Without a
// branch on each digit: their number differs from element to element, which no processor can predict.
inline const char* take_digits(const char* p, const char* end, DecimalNumber& number) noexcept {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::uint64_t powers[] = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
  while (end - p >= 8) {
    std::uint64_t chunk = 0;
    std::memcpy(&chunk, p, sizeof(chunk));
    chunk ^= 0x3030303030303030U;  // digits become 0 to 9, everything else more
    const auto others = ((chunk + 0x7676767676767676U) | chunk) & 0x8080808080808080U;
    const auto count = static_cast<unsigned>(std::countr_zero(others)) / 8U;
    if (count == 0) return p;
    chunk <<= 64U - 8U * count;  // zeros in front
    chunk = (chunk * 10U + (chunk >> 8U)) & 0x00FF00FF00FF00FFU;
    chunk = (chunk * 100U + (chunk >> 16U)) & 0x0000FFFF0000FFFFU;
    chunk = (chunk * 10'000U + (chunk >> 32U)) & 0xFFFFFFFFU;
    if (number.significand > (UINT64_MAX - powers[8]) / powers[8]) number.exact = false;
    number.significand = number.significand * powers[count] + chunk;
    p += count;
    if (count < 8) return p;
  }
  for (; p != end && is_digit(*p); ++p) {
    if (number.significand > (UINT64_MAX - 9U) / 10U) number.exact = false;
    number.significand = number.significand * 10U + static_cast<unsigned>(*p - '0');
  }
  return p;
}

/// Reads a number of the JSON grammar, which is narrower than that of std::from_chars ("1.", "01", "inf", ".5").
inline const char* scan_decimal(const char* p, const char* end, DecimalNumber& number) noexcept {
  number.negative = p != end && *p == '-';
  p += number.negative ? 1 : 0;
  if (p == end || !is_digit(*p)) return nullptr;
  p = *p == '0' ? p + 1 : take_digits(p, end, number);
  if (p != end && *p == '.') {
    const auto* fraction = p + 1;
    p = take_digits(fraction, end, number);
    if (p == fraction) return nullptr;
    number.exponent = fraction - p;
  }
  if (p != end && (*p == 'e' || *p == 'E')) {
    ++p;
    const bool down = p != end && *p == '-';
    if (p != end && (*p == '+' || *p == '-')) ++p;
    const auto* first = p;
    std::int64_t shift = 0;
    for (; p != end && is_digit(*p); ++p) {
      if (shift < std::int64_t{1} << 40U) shift = shift * 10 + (*p - '0');
    }
    if (p == first) return nullptr;
    number.exponent += down ? -shift : shift;
  }
  return p;
}

/// The double nearest to `number`, where one multiplication or division of exact operands gives it. False where not.
inline bool nearest_double(const DecimalNumber& number, double& value) noexcept {
  constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (!number.exact || number.significand > std::uint64_t{1} << 53U) return false;
  if (number.exponent < -22 || number.exponent > 22) return false;
  const auto magnitude = static_cast<double>(number.significand);
  const double scaled =
      number.exponent < 0 ? magnitude / powers[-number.exponent] : magnitude * powers[number.exponent];
  value = std::copysign(scaled, number.negative ? -1.0 : 1.0);
  return true;
}

/// True when `token`, a number of the JSON grammar that is not zero, lies below one.
bool is_below_one(std::string_view token, const DecimalNumber& number) noexcept;

/// By std::from_chars, for what the short way cannot round; underflow gives a zero, overflow false.
template <class Float>
bool round_token(std::string_view token, const DecimalNumber& number, Float& value) noexcept {
  const auto error = std::from_chars(token.data(), token.data() + token.size(), value).ec;
  if (error == std::errc{}) return true;
  if (error != std::errc::result_out_of_range || !is_below_one(token, number)) return false;
  value = number.negative ? Float{-0.0} : Float{0.0};
  return true;
}

/// Rounded once from the decimal to Float, ties to even.
template <class Float>
const char* parse_float(const char* p, const char* end, Float& value) noexcept {
  DecimalNumber number;
  const auto* stop = scan_decimal(p, end, number);
  if (stop == nullptr) return nullptr;
  double nearest = 0;
  if (nearest_double(number, nearest)) {
    if constexpr (std::is_same_v<Float, double>) {
      value = nearest;
      return stop;
    } else if ((std::bit_cast<std::uint64_t>(nearest) & 0x1FFFFFFFU) != 0x10000000U) {
      // Not halfway between two floats, so the decimal lies on the same side of every such halfway point as `nearest`.
      value = static_cast<float>(nearest);
      return stop;
    }
  }
  return round_token({p, static_cast<std::size_t>(stop - p)}, number, value) ? stop : nullptr;
}

template <class Format>
const char* parse_float16(const char* p, const char* end, std::uint16_t& bits) noexcept {
  double value = 0;
  const auto* stop = parse_float(p, end, value);
  if (stop == nullptr) return nullptr;
  const auto rounded = Format::round(value);
  if (!rounded) return nullptr;
  bits = *rounded;
  return stop;
}

inline const char* parse_boolean(const char* p, const char* end, std::uint8_t& value) noexcept {
  const std::string_view text(p, static_cast<std::size_t>(end - p));
  value = text.starts_with("true") ? 1 : 0;
  if (value == 0 && !text.starts_with("false")) return nullptr;
  return p + (value == 1 ? 4 : 5);
}

}  // namespace headrace::proto
