#include "gpu/bit_tree.hpp"

#include <gtest/gtest.h>

#include <set>

#include "gpu/ops/generated.hpp"

namespace headrace::gpu {
namespace {

TEST(BitTree, AnEmptySetHasNoFirst) {
  EXPECT_EQ(BitTree(0).first(), std::nullopt);
  EXPECT_EQ(BitTree(1).first(), std::nullopt);
  EXPECT_EQ(BitTree(100'000).first(), std::nullopt);
  EXPECT_FALSE(BitTree(0).contains(0));
}

TEST(BitTree, AgreesWithAnOrderedSet) {
  for (const std::size_t size : {1u, 2u, 63u, 64u, 65u, 4096u, 4097u, 262'145u}) {
    BitTree tree(size);
    std::set<std::size_t> model;
    Generator generator(size);
    for (int i = 0; i < 2'000; ++i) {
      const std::size_t member = generator.bits() % size;
      if (model.contains(member)) {
        model.erase(member);
        tree.erase(member);
      } else {
        model.insert(member);
        tree.insert(member);
      }
      ASSERT_EQ(tree.contains(member), model.contains(member));
      ASSERT_EQ(tree.first(), model.empty() ? std::nullopt : std::optional(*model.begin())) << size << " after " << i;
    }
  }
}

TEST(BitTree, InsertingTwiceIsTheSameAsOnce) {
  BitTree tree(70);
  tree.insert(65);
  tree.insert(65);
  tree.erase(65);
  EXPECT_EQ(tree.first(), std::nullopt);
}

}  // namespace
}  // namespace headrace::gpu
