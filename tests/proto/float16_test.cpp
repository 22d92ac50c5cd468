#include "proto/float16.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace headrace::proto {
namespace {

template <class Format>
class Float16Test : public testing::Test {};
using Formats = testing::Types<Fp16, Bf16>;
TYPED_TEST_SUITE(Float16Test, Formats);

TYPED_TEST(Float16Test, every_finite_value_comes_back) {
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const auto wide = TypeParam::widen(static_cast<std::uint16_t>(bits));
    if (!std::isfinite(wide)) continue;
    ASSERT_EQ(TypeParam::round(static_cast<double>(wide)), bits);
  }
}

TYPED_TEST(Float16Test, between_two_neighbours_the_nearer_and_at_a_tie_the_even) {
  const auto value = [](std::uint32_t bits) {
    return static_cast<double>(TypeParam::widen(static_cast<std::uint16_t>(bits)));
  };
  for (std::uint32_t low = 0; std::isfinite(value(low + 1)); ++low) {
    const double tie = (value(low) + value(low + 1)) / 2;
    ASSERT_EQ(TypeParam::round(tie), low + (low & 1U));
    ASSERT_EQ(TypeParam::round(std::nextafter(tie, 0.0)), low);
    ASSERT_EQ(TypeParam::round(std::nextafter(tie, 1e300)), low + 1);
    ASSERT_EQ(TypeParam::round(-tie), (low + (low & 1U)) | 0x8000U);
  }
}

TEST(Float16, known_values) {
  EXPECT_EQ(Fp16::widen(0x3C00), 1.0F);
  EXPECT_EQ(Fp16::widen(0x7BFF), 65504.0F);
  EXPECT_EQ(Fp16::widen(0x0001), 0x1p-24F);
  EXPECT_EQ(Fp16::widen(0xFC00), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(Fp16::widen(0x7E00)));
  EXPECT_EQ(Bf16::widen(0x3F80), 1.0F);
  EXPECT_EQ(Bf16::widen(0x0001), 0x1p-133F);
  EXPECT_EQ(Fp16::round(-0.0), 0x8000U);
}

TEST(Float16, overflow_is_said) {
  EXPECT_EQ(Fp16::round(65519.999), 0x7BFFU);
  EXPECT_EQ(Fp16::round(65520.0), std::nullopt);
  EXPECT_EQ(Fp16::round(-1e300), std::nullopt);
  EXPECT_EQ(Bf16::round(3.3895313892515355e38), 0x7F7FU);
  EXPECT_EQ(Bf16::round(3.4e38), std::nullopt);
  EXPECT_EQ(Bf16::round(std::numeric_limits<double>::denorm_min()), 0U);
}

}  // namespace
}  // namespace headrace::proto
