#include "gpu/tensor_type.hpp"

#include <gtest/gtest.h>

#include <array>

namespace headrace::gpu {
namespace {

TEST(TensorType, KnowsEveryElementType) {
  struct Row {
    ElementType type;
    std::string_view name;
    std::size_t bytes;
  };
  constexpr std::array<Row, 13> rows{{{ElementType::boolean, "BOOL", 1},
                                      {ElementType::u8, "UINT8", 1},
                                      {ElementType::u16, "UINT16", 2},
                                      {ElementType::u32, "UINT32", 4},
                                      {ElementType::u64, "UINT64", 8},
                                      {ElementType::i8, "INT8", 1},
                                      {ElementType::i16, "INT16", 2},
                                      {ElementType::i32, "INT32", 4},
                                      {ElementType::i64, "INT64", 8},
                                      {ElementType::f16, "FP16", 2},
                                      {ElementType::bf16, "BF16", 2},
                                      {ElementType::f32, "FP32", 4},
                                      {ElementType::f64, "FP64", 8}}};
  for (const Row& row : rows) {
    EXPECT_EQ(element_name(row.type), row.name);
    EXPECT_EQ(element_bytes(row.type), row.bytes) << row.name;
  }
}

TEST(TensorType, CountsAndShowsRows) {
  const TensorType matrix{ElementType::f64, {3, 4}};
  EXPECT_EQ(matrix.row_elements(), 12u);
  EXPECT_EQ(matrix.row_bytes(), 96u);
  EXPECT_EQ(matrix.to_string(), "FP64[3, 4]");
  const TensorType scalar{ElementType::u8, {}};
  EXPECT_EQ(scalar.row_bytes(), 1u);
  EXPECT_EQ(scalar.to_string(), "UINT8[]");
}

}  // namespace
}  // namespace headrace::gpu
