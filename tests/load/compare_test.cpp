#include "load/compare.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace headrace::load {
namespace {

using proto::Datatype;

template <class T>
TensorBytes tensor(Datatype datatype, const std::vector<T>& values) {
  return {datatype, std::as_bytes(std::span(values))};
}

bool same_floats(const std::vector<float>& got, const std::vector<double>& want, double tolerance) {
  return !first_difference(tensor(Datatype::fp32, got), tensor(Datatype::fp64, want), tolerance);
}

TEST(Compare, FloatsWithinTolerance) {
  EXPECT_TRUE(same_floats({1.0F, 2.0F}, {1.00005, 2.0}, 1e-4));
  EXPECT_FALSE(same_floats({1.0F, 2.0F}, {1.001, 2.0}, 1e-4));
  EXPECT_TRUE(same_floats({1000.0F}, {1000.05}, 1e-4));   // relative above one
  EXPECT_FALSE(same_floats({0.0F}, {0.001}, 1e-4));       // absolute below
}

TEST(Compare, FloatsThatAreNoNumbers) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(same_floats({nan, inf}, {std::numeric_limits<double>::quiet_NaN(), static_cast<double>(inf)}, 0));
  EXPECT_FALSE(same_floats({inf}, {-std::numeric_limits<double>::infinity()}, 1));
  EXPECT_FALSE(same_floats({nan}, {0.0}, 1));
  EXPECT_FALSE(same_floats({inf}, {1e300}, 1));
}

TEST(Compare, IntegersAreExact) {
  const std::vector<std::int64_t> a{9'007'199'254'740'993};
  const std::vector<std::int64_t> b{9'007'199'254'740'992};  // the same as a double
  EXPECT_TRUE(first_difference(tensor(Datatype::int64, a), tensor(Datatype::int64, b), 1));
  const std::vector<std::int32_t> narrow{-7, 8};
  const std::vector<std::int64_t> wide{-7, 8};
  EXPECT_FALSE(first_difference(tensor(Datatype::int32, narrow), tensor(Datatype::int64, wide), 0));
  const std::vector<std::uint64_t> big{std::numeric_limits<std::uint64_t>::max()};
  const std::vector<std::int64_t> minus_one{-1};
  EXPECT_TRUE(first_difference(tensor(Datatype::uint64, big), tensor(Datatype::int64, minus_one), 1));
}

TEST(Compare, CountsMustAgree) {
  const std::vector<float> two{1, 2};
  const std::vector<float> one{1};
  const auto difference = first_difference(tensor(Datatype::fp32, two), tensor(Datatype::fp32, one), 1);
  ASSERT_TRUE(difference);
  EXPECT_NE(difference->find("2 elements came, 1 were expected"), std::string::npos) << *difference;
}

TEST(Compare, BytesAreComparedByteByByte) {
  const std::vector<char> a{1, 0, 0, 0, 'a'};
  const std::vector<char> b{1, 0, 0, 0, 'b'};
  EXPECT_FALSE(first_difference(tensor(Datatype::bytes, a), tensor(Datatype::bytes, a), 1));
  EXPECT_TRUE(first_difference(tensor(Datatype::bytes, a), tensor(Datatype::bytes, b), 1));
}

TEST(Compare, SaysWhere) {
  const std::vector<std::uint16_t> one_and_two{0x3c00, 0x4000};  // FP16
  const std::vector<std::uint16_t> one_and_three{0x3f80, 0x4040};  // BF16
  const auto difference =
      first_difference(tensor(Datatype::fp16, one_and_two), tensor(Datatype::bf16, one_and_three), 1e-3);
  EXPECT_EQ(difference, "element 1 is 2, expected 3");
}

}  // namespace
}  // namespace headrace::load
