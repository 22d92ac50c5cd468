#include "gpu/nearest_name.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace headrace::gpu {
namespace {

using namespace std::string_view_literals;

constexpr std::array operators{"identity"sv, "affine"sv, "linear"sv, "relu"sv, "softmax"sv};

TEST(EditDistance, CountsSlips) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("scale", "scale"), 0u);
  EXPECT_EQ(edit_distance("scale", "sclae"), 1u) << "neighbours swapped";
  EXPECT_EQ(edit_distance("scale", "scle"), 1u);
  EXPECT_EQ(edit_distance("scale", "scales"), 1u);
  EXPECT_EQ(edit_distance("scale", "stale"), 1u);
  EXPECT_EQ(edit_distance("Scale", "sCALE"), 0u) << "case is no difference";
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(NearestName, FindsWhatWasMeant) {
  EXPECT_EQ(nearest_name("lineer", operators), "linear");
  EXPECT_EQ(nearest_name("ReLU", operators), "relu");
  EXPECT_EQ(nearest_name("soft_max", operators), "softmax");
}

TEST(NearestName, SuggestsNothingFarFetched) {
  EXPECT_EQ(nearest_name("conv2d", operators), std::nullopt);
  EXPECT_EQ(nearest_name("", operators), std::nullopt);
  EXPECT_EQ(nearest_name("relu", {}), std::nullopt);
  EXPECT_EQ(nearest_name(std::string(100'000, 'x'), operators), std::nullopt);
}

TEST(NearestName, HintListsWhatIsKnown) {
  constexpr std::array known{"scale"sv, "shift"sv};
  EXPECT_EQ(nearest_name_hint("scal", known), "; did you mean 'scale'? (known: scale, shift)");
  EXPECT_EQ(nearest_name_hint("bias", known), " (known: scale, shift)");
  EXPECT_EQ(nearest_name_hint("bias", {}), " (there are none)");
}

}  // namespace
}  // namespace headrace::gpu
