#include "proto/datatype.hpp"

#include <gtest/gtest.h>

#include <set>

namespace headrace::proto {
namespace {

TEST(Datatype, every_name_is_found_again) {
  ASSERT_EQ(datatypes().size(), 14U);
  std::set<std::string_view> names;
  for (const auto& row : datatypes()) {
    EXPECT_EQ(parse_datatype(row.name), row.datatype);
    EXPECT_EQ(&traits(row.datatype), &row);
    names.insert(row.name);
    names.insert(row.config_name);
  }
  EXPECT_EQ(names.size(), 28U);
}

TEST(Datatype, sizes_and_config_names) {
  EXPECT_EQ(traits(Datatype::boolean).item_bytes, 1U);
  EXPECT_EQ(traits(Datatype::bf16).item_bytes, 2U);
  EXPECT_EQ(traits(Datatype::fp32).item_bytes, 4U);
  EXPECT_EQ(traits(Datatype::uint64).item_bytes, 8U);
  EXPECT_EQ(traits(Datatype::bytes).item_bytes, 0U);
  EXPECT_EQ(traits(Datatype::bytes).config_name, "TYPE_STRING");
  EXPECT_EQ(traits(Datatype::bf16).config_name, "TYPE_BF16");
}

TEST(Datatype, names_are_exact) {
  for (const auto* name : {"", "fp32", "FP32 ", "FLOAT", "TYPE_FP32", "STRING", "FP8"}) {
    EXPECT_FALSE(parse_datatype(name)) << name;
  }
}

}  // namespace
}  // namespace headrace::proto
