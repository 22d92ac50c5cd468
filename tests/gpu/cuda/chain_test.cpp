#include "gpu/cuda/chain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace headrace::gpu::cuda {
namespace {

TEST(Chain, AppliesItsLinksInOrder) {
  Chain chain;
  ASSERT_TRUE(chain.append(link_of(AffineExpression{3, -6})));
  ASSERT_TRUE(chain.append(link_of(ReluExpression{})));
  ASSERT_TRUE(chain.append(link_of(AffineExpression{-1, 0.5F})));
  float values[3] = {1, 2, 4};
  chain.apply(values);
  EXPECT_EQ(values[0], 0.5F) << "below zero: cut before the last link";
  EXPECT_EQ(values[1], 0.5F);
  EXPECT_EQ(values[2], -5.5F);
}

TEST(Chain, AnEmptyOneChangesNothing) {
  float values[2] = {-0.0F, std::numeric_limits<float>::infinity()};
  Chain{}.apply(values);
  EXPECT_TRUE(std::signbit(values[0]));
  EXPECT_EQ(values[1], std::numeric_limits<float>::infinity());
}

TEST(Chain, PassesNanOn) {
  Chain chain;
  ASSERT_TRUE(chain.append(link_of(ReluExpression{})));
  ASSERT_TRUE(chain.append(link_of(AffineExpression{2, 1})));
  float values[1] = {std::numeric_limits<float>::quiet_NaN()};
  chain.apply(values);
  EXPECT_TRUE(std::isnan(values[0]));
}

TEST(Chain, SaysWhenItIsFull) {
  Chain chain;
  for (std::uint32_t i = 0; i < Chain::links_max; ++i) ASSERT_TRUE(chain.append(link_of(AffineExpression{1, 1})));
  EXPECT_FALSE(chain.append(link_of(AffineExpression{1, 1})));
  float values[1] = {0};
  chain.apply(values);
  EXPECT_EQ(values[0], static_cast<float>(Chain::links_max));
}

}  // namespace
}  // namespace headrace::gpu::cuda
