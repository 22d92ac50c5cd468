#include "gpu/cpu/cost.hpp"

#include <gtest/gtest.h>

#include "tests/support/programs.hpp"

namespace headrace::gpu::cpu {
namespace {

TEST(Cost, CountsElementsAndMultiplyAdds) {
  EXPECT_EQ(row_flops(*support::affine_program(256, 2, 1)), 512u);
  const auto linear =
      support::make_program(support::fp32_row({64}), {{"linear", {{"weight", support::fp32_weight({128, 64}, 1)}}}});
  EXPECT_EQ(row_flops(*linear), 64u + 128 + 2 * 64 * 128);
}

}  // namespace
}  // namespace headrace::gpu::cpu
