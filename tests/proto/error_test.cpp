#include "proto/error.hpp"

#include <gtest/gtest.h>

#include <set>

namespace headrace::proto {
namespace {

TEST(Error, rows_stand_in_the_order_of_the_enumeration_with_distinct_names) {
  std::set<std::string_view> names;
  for (const auto& row : error_table()) {
    EXPECT_EQ(&traits(row.code), &row);
    EXPECT_GE(row.http_status, 400);
    EXPECT_LT(row.http_status, 600);
    names.insert(row.name);
  }
  EXPECT_EQ(names.size(), error_table().size());
}

TEST(Error, only_overload_and_absence_can_be_tried_again) {
  for (const auto& row : error_table()) {
    EXPECT_EQ(row.retryable, row.http_status == 429 || row.http_status == 503) << row.name;
  }
}

TEST(Error, statuses_of_the_contract) {
  EXPECT_EQ(traits(ErrorCode::invalid_argument).http_status, 400);
  EXPECT_EQ(traits(ErrorCode::not_representable).http_status, 422);
  EXPECT_EQ(traits(ErrorCode::queue_full).http_status, 429);
  EXPECT_EQ(traits(ErrorCode::deadline_expired).http_status, 504);
  EXPECT_EQ(traits(ErrorCode::forbidden).http_status, 403);
}

}  // namespace
}  // namespace headrace::proto
