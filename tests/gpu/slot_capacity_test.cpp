#include "gpu/slot_capacity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/programs.hpp"

namespace headrace::gpu {
namespace {

using testing::HasSubstr;

TEST(SlotCapacity, IsTheSmallerOfAskedAndHeld) {
  const auto program = support::classifier_program();
  EXPECT_EQ(program->widest_row_bytes(), 512u);
  EXPECT_EQ(slot_rows_max(*program, 4096, 1u << 20).value(), 2048u);
  EXPECT_EQ(slot_rows_max(*program, 100, 1u << 20).value(), 100u);
  EXPECT_EQ(slot_rows_max(*program, 4096, 512 * 7 + 511).value(), 7u);
  EXPECT_EQ(slot_rows_max(*program, 4096, 512).value(), 1u);
}

TEST(SlotCapacity, RefusesASlotThatHoldsNoRow) {
  const auto rows = slot_rows_max(*support::classifier_program(), 1, 511);
  ASSERT_FALSE(rows.has_value());
  EXPECT_EQ(rows.error().kind, ErrorKind::out_of_memory);
  EXPECT_THAT(rows.error().message, HasSubstr("expected at least 512 bytes"));
  EXPECT_THAT(rows.error().message, HasSubstr("got 511"));
}

}  // namespace
}  // namespace headrace::gpu
