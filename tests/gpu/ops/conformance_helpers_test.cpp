#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <vector>

#include "gpu/ops/affine/affine.hpp"
#include "gpu/ops/conformance.hpp"
#include "gpu/ops/map_step.hpp"
#include "gpu/ops/relu/relu.hpp"

namespace headrace::gpu {
namespace {

using testing::HasSubstr;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

std::span<const std::byte> bytes_of(const std::vector<float>& values) { return std::as_bytes(std::span(values)); }

std::optional<std::string> judge(const Step& step, const std::vector<float>& in, const std::vector<float>& out) {
  return find_mismatch(step, bytes_of(in), bytes_of(out), in.size() / step.input().row_elements());
}

TEST(Conformance, NamesTheFirstElementThatIsOutsideTheTolerance) {
  const MapStep<AffineExpression> step({ElementType::f32, {2}}, {2, 1});
  EXPECT_FALSE(judge(step, {1, 2, 3, 4}, {3, 5, 7, 9}));
  const auto mismatch = judge(step, {1, 2, 3, 4}, {3, 5, 7, 9.001f});
  ASSERT_TRUE(mismatch);
  EXPECT_THAT(*mismatch, HasSubstr("affine FP32[2]: row 1, element 1: expected 9 "));
  EXPECT_THAT(*mismatch, HasSubstr("got 9.00"));
}

TEST(Conformance, InfinityAndNanMatchOnlyThemselves) {
  const MapStep<AffineExpression> twice({ElementType::f32, {1}}, {2, 0});
  EXPECT_FALSE(judge(twice, {nan}, {nan}));
  EXPECT_TRUE(judge(twice, {nan}, {0}));
  EXPECT_TRUE(judge(twice, {1}, {nan}));
  EXPECT_FALSE(judge(twice, {infinity}, {infinity}));
  EXPECT_TRUE(judge(twice, {infinity}, {-infinity}));
  EXPECT_TRUE(judge(twice, {infinity}, {1}));
  EXPECT_TRUE(judge(twice, {1}, {infinity}));
  EXPECT_FALSE(judge(twice, {3e38f}, {infinity})) << "6e38 is beyond FP32";
  EXPECT_TRUE(judge(twice, {3e38f}, {3.4e38f}));
}

TEST(Conformance, ExactMeansTheSignOfZeroToo) {
  const MapStep<ReluExpression> relu({ElementType::f32, {1}});
  EXPECT_FALSE(judge(relu, {-0.0f}, {-0.0f}));
  EXPECT_TRUE(judge(relu, {-0.0f}, {0.0f}));
  EXPECT_TRUE(judge(relu, {1}, {std::nextafter(1.0f, 2.0f)}));
}

TEST(Conformance, EdgeRowsReachEverySpecialValue) {
  const TensorType type{ElementType::f32, {3}};
  std::vector<float> rows(3 * 100);
  Generator generator(5);
  fill_rows(type, RowKind::edges, generator, std::as_writable_bytes(std::span(rows)));
  const auto has = [&rows](auto predicate) { return std::ranges::any_of(rows, predicate); };
  EXPECT_TRUE(has([](float x) { return std::isnan(x); }));
  EXPECT_TRUE(has([](float x) { return x == infinity; }));
  EXPECT_TRUE(has([](float x) { return x == -infinity; }));
  EXPECT_TRUE(has([](float x) { return std::fpclassify(x) == FP_SUBNORMAL; }));
  EXPECT_TRUE(has([](float x) { return x == 0 && std::signbit(x); }));
  EXPECT_TRUE(has([](float x) { return x == std::numeric_limits<float>::max(); }));
}

TEST(Conformance, ReadsEveryElementTypeAtAnyAddress) {
  const auto value = [](ElementType type, auto stored) {
    std::byte memory[sizeof stored + 1];
    std::memcpy(memory + 1, &stored, sizeof stored);
    return element_value(type, memory + 1);
  };
  EXPECT_EQ(value(ElementType::boolean, std::uint8_t{1}), 1);
  EXPECT_EQ(value(ElementType::i8, std::int8_t{-7}), -7);
  EXPECT_EQ(value(ElementType::u16, std::uint16_t{65535}), 65535);
  EXPECT_EQ(value(ElementType::i64, std::int64_t{-(1LL << 53)}), -0x1p53);
  EXPECT_EQ(value(ElementType::f16, std::uint16_t{0x3c00}), 1);
  EXPECT_EQ(value(ElementType::f16, std::uint16_t{0xc500}), -5);
  EXPECT_EQ(value(ElementType::f16, std::uint16_t{0x0001}), 0x1p-24);
  EXPECT_EQ(value(ElementType::f16, std::uint16_t{0x7bff}), 65504);
  EXPECT_EQ(value(ElementType::f16, std::uint16_t{0xfc00}), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(value(ElementType::f16, std::uint16_t{0x7e00})));
  EXPECT_EQ(value(ElementType::bf16, std::uint16_t{0xc0a0}), -5);
  EXPECT_EQ(value(ElementType::f32, 0.1f), static_cast<double>(0.1f));
  EXPECT_EQ(value(ElementType::f64, 0.1), 0.1);
}

TEST(Generated, RepeatsWithTheSeedAndStaysInRange) {
  Generator one(1), same(1), other(2);
  std::set<float> seen;
  bool differs = false;
  for (int i = 0; i < 1000; ++i) {
    const float value = one.unit();
    EXPECT_EQ(value, same.unit());
    differs = differs || value != other.unit();
    EXPECT_GE(value, -1.0f);
    EXPECT_LT(value, 1.0f);
    seen.insert(value);
  }
  EXPECT_TRUE(differs);
  EXPECT_GT(seen.size(), 990u);
}

}  // namespace
}  // namespace headrace::gpu
