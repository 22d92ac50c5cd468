#pragma once
// FP16 and BF16 as bits. exponent_bits + mantissa_bits + sign = 16.

#include <bit>
#include <cstdint>
#include <optional>

namespace headrace::proto {

template <unsigned exponent_bits, unsigned mantissa_bits>
struct Float16 {
  static_assert(exponent_bits + mantissa_bits == 15);
  static constexpr std::uint32_t exponent_mask = (1U << exponent_bits) - 1U;
  static constexpr std::uint32_t mantissa_mask = (1U << mantissa_bits) - 1U;
  static constexpr int bias = static_cast<int>(exponent_mask >> 1U);

  /// Rounds a finite value to nearest, ties to even. Nothing when the result would be an infinity.
  static constexpr std::optional<std::uint16_t> round(double value) noexcept {
    constexpr unsigned dropped = 52U - mantissa_bits;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto sign = static_cast<std::uint64_t>(bits >> 63U) << 15U;
    const auto mantissa = bits & ((std::uint64_t{1} << 52U) - 1U);
    const int exponent = static_cast<int>((bits >> 52U) & 0x7FFU) - 1023 + bias;
    std::uint64_t magnitude = 0;
    if (exponent > static_cast<int>(exponent_mask)) return std::nullopt;
    if (exponent > 0) {
      magnitude = round_shift((static_cast<std::uint64_t>(exponent) << 52U) | mantissa, dropped);
    } else if (const unsigned shift = dropped + 1U + static_cast<unsigned>(-exponent); shift < 64U) {
      magnitude = round_shift(mantissa | (std::uint64_t{1} << 52U), shift);
    }
    if (magnitude >> mantissa_bits >= exponent_mask) return std::nullopt;
    return static_cast<std::uint16_t>(sign | magnitude);
  }

  /// Exact.
  static constexpr float widen(std::uint16_t bits) noexcept {
    if constexpr (exponent_bits == 8) {
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
    } else {
      constexpr unsigned lift = 23U - mantissa_bits;
      const std::uint32_t sign = (bits & 0x8000U) << 16U;
      const std::uint32_t exponent = (static_cast<std::uint32_t>(bits) >> mantissa_bits) & exponent_mask;
      const std::uint32_t mantissa = bits & mantissa_mask;
      if (exponent == exponent_mask) return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << lift));
      if (exponent != 0) {
        const auto widened = static_cast<std::uint32_t>(static_cast<int>(exponent) - bias + 127);
        return std::bit_cast<float>(sign | (widened << 23U) | (mantissa << lift));
      }
      constexpr float unit = 1.0F / static_cast<float>(1U << (static_cast<unsigned>(bias) - 1U + mantissa_bits));
      const float magnitude = static_cast<float>(mantissa) * unit;
      return sign == 0 ? magnitude : -magnitude;
    }
  }

 private:
  static constexpr std::uint64_t round_shift(std::uint64_t value, unsigned shift) noexcept {
    const auto kept = value >> shift;
    const auto rest = value & ((std::uint64_t{1} << shift) - 1U);
    const auto half = std::uint64_t{1} << (shift - 1U);
    return rest > half || (rest == half && (kept & 1U) != 0) ? kept + 1U : kept;
  }
};

using Fp16 = Float16<5, 10>;
using Bf16 = Float16<8, 7>;

}  // namespace headrace::proto
