#include "proto/shape.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace headrace::proto {
namespace {

constexpr auto int64_max = std::numeric_limits<std::int64_t>::max();

TEST(Shape, elements) {
  EXPECT_EQ(Shape{}.elements(), 1);
  EXPECT_EQ((Shape{450, 64}).elements(), 28800);
  EXPECT_EQ((Shape{0}).elements(), 0);
  EXPECT_EQ((Shape{3, 0, 2}).elements(), 0);
  EXPECT_EQ((Shape{int64_max}).elements(), int64_max);
  EXPECT_EQ((Shape{1, int64_max, 1}).elements(), int64_max);
}

TEST(Shape, no_elements_when_a_part_overflows_or_is_negative) {
  EXPECT_EQ((Shape{int64_max, 2}).elements(), std::nullopt);
  EXPECT_EQ((Shape{1LL << 32, 1LL << 31}).elements(), std::nullopt);
  EXPECT_EQ((Shape{0, int64_max, 2}).elements(), std::nullopt);
  EXPECT_EQ((Shape{int64_max, 2, 0}).elements(), std::nullopt);
  EXPECT_EQ((Shape{-1, 4}).elements(), std::nullopt);
  EXPECT_EQ((Shape{0, -1}).elements(), std::nullopt);
}

TEST(Shape, holds_up_to_its_rank) {
  Shape shape;
  for (std::size_t i = 0; i < tensor_rank_max; ++i) EXPECT_TRUE(shape.push_back(1));
  EXPECT_FALSE(shape.push_back(1));
  EXPECT_EQ(shape.rank(), tensor_rank_max);
  shape.clear();
  EXPECT_EQ(shape, Shape{});
}

TEST(Shape, text_and_equality) {
  EXPECT_EQ(Shape{}.to_string(), "[]");
  EXPECT_EQ((Shape{450, 64}).to_string(), "[450,64]");
  EXPECT_EQ((Shape{1, 2}), Shape(std::vector<std::int64_t>{1, 2}));
  EXPECT_NE((Shape{1, 2}), (Shape{1, 2, 1}));
  EXPECT_NE((Shape{1, 2}), (Shape{2, 1}));
}

}  // namespace
}  // namespace headrace::proto
