// The content of binary inputs, and the bound on JSON ones (proto/tensor_content.hpp), through the parser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/proto/body.hpp"

namespace headrace::proto {
namespace {

using test::Parsed;
using test::text_of;
using testing::HasSubstr;

std::string binary_input(std::string_view datatype, std::string_view shape, std::string_view size) {
  std::string text = R"({"inputs":[{"name":"x","datatype":")";
  return text.append(datatype)
      .append(R"(","shape":)")
      .append(shape)
      .append(R"(,"parameters":{"binary_data_size":)")
      .append(size)
      .append("}}]}");
}

std::string bytes_element(std::uint32_t length, std::string_view content) {
  std::string text(sizeof(length), '\0');
  std::memcpy(text.data(), &length, sizeof(length));
  return text.append(content);
}

TEST(InputContent, every_fixed_size_datatype_of_exactly_its_size) {
  for (const auto& row : datatypes()) {
    if (row.item_bytes == 0) continue;
    const auto size = 6 * row.item_bytes;
    EXPECT_TRUE(Parsed(binary_input(row.name, "[2,3]", std::to_string(size)), std::string(size, 'b')).result)
        << row.name;
    for (const auto wrong : {size - 1, size + 1}) {
      const Parsed parsed(binary_input(row.name, "[2,3]", std::to_string(wrong)), std::string(wrong, 'b'));
      EXPECT_THAT(parsed.message(),
                  HasSubstr("inputs[0].parameters.binary_data_size ('x'): expected " + std::to_string(size) + " for " +
                            std::string(row.name) + " of shape [2,3], got " + std::to_string(wrong)));
    }
  }
}

TEST(InputContent, zero_rows_zero_tail_and_scalar) {
  EXPECT_TRUE(Parsed(binary_input("FP32", "[0,64]", "0")).result);
  EXPECT_TRUE(Parsed(binary_input("FP32", "[3,0]", "0")).result);
  EXPECT_TRUE(Parsed(binary_input("FP32", "[]", "4"), "1234").result);
  EXPECT_TRUE(Parsed(binary_input("BYTES", "[0]", "0")).result);
  EXPECT_TRUE(Parsed(test::json_input("FP32", "[0,64]", "[]")).result);
  EXPECT_TRUE(Parsed(test::json_input("FP32", "[]", "[1]")).result);
}

TEST(InputContent, missing_and_extra_bytes) {
  EXPECT_THAT(Parsed(binary_input("UINT8", "[4]", "4"), "123").message(),
              HasSubstr("expected 4 bytes of binary data in the body, got 3"));
  EXPECT_THAT(Parsed(binary_input("UINT8", "[4]", "4"), "12345").message(),
              HasSubstr("body: expected 4 bytes of binary data behind the JSON part, got 5"));
  EXPECT_THAT(Parsed(binary_input("UINT8", "[4]", "18446744073709551615"), "1234").message(), HasSubstr("got 4"));
  EXPECT_THAT(Parsed(R"({"inputs":[]})", "x").message(), HasSubstr("expected 0 bytes"));
  EXPECT_FALSE(Parsed(binary_input("UINT8", "[4]", "4"), {}, false).result);
}

TEST(InputContent, bytes_are_walked) {
  const auto blob = bytes_element(3, "abc") + bytes_element(0, "") + bytes_element(1, "\xff");
  const auto size = std::to_string(blob.size());
  const Parsed parsed(binary_input("BYTES", "[3,1]", size), blob);
  ASSERT_TRUE(parsed.result) << parsed.message();
  EXPECT_EQ(text_of(parsed.request.inputs[0].bytes), blob);

  EXPECT_THAT(Parsed(binary_input("BYTES", "[2]", size), blob).message(),
              HasSubstr("inputs[0].data ('x'): expected 2 elements for shape [2], got 3"));
  EXPECT_THAT(Parsed(binary_input("BYTES", "[4]", size), blob).message(),
              HasSubstr("expected 4 elements for shape [4], got 3"));
  EXPECT_THAT(Parsed(binary_input("BYTES", "[1]", "6"), bytes_element(3, "ab")).message(),
              HasSubstr("element 0 of BYTES: expected 3 bytes, got 2"));
  EXPECT_THAT(Parsed(binary_input("BYTES", "[1]", "4"), bytes_element(0xFFFFFFFFU, "")).message(),
              HasSubstr("expected 4294967295 bytes, got 0"));
  EXPECT_THAT(Parsed(binary_input("BYTES", "[2]", "6"), bytes_element(1, "a") + "b").message(),
              HasSubstr("element 1 of BYTES: expected 4 length bytes, got 1"));
}

TEST(InputContent, a_short_text_cannot_claim_a_large_tensor) {
  EXPECT_THAT(Parsed(test::json_input("FP32", "[1000000000,1000]", "[1,2,3]")).message(),
              HasSubstr("inputs[0].data ('x'): expected 1000000000000 elements for shape [1000000000,1000], got 3"));
  EXPECT_FALSE(Parsed(test::json_input("FP32", "[1]", "[]")).result);
  EXPECT_TRUE(Parsed(test::json_input("UINT8", "[3]", "[1,2,3]")).result);
  EXPECT_THAT(Parsed(test::json_input("BYTES", "[5]", R"(["a","b"])")).message(),
              HasSubstr("expected 5 elements for shape [5], got 2"));
}

}  // namespace
}  // namespace headrace::proto
