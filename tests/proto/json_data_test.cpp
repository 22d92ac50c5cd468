#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "proto/limits.hpp"
#include "tests/proto/body.hpp"

namespace headrace::proto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

InputTensor tensor(Datatype datatype, Shape shape, std::string_view json) {
  InputTensor input;
  input.name = "x";
  input.datatype = datatype;
  input.shape = shape;
  input.json = json;
  return input;
}

// Decodes into an exactly sized block at an odd address.
template <class Element>
Result<std::vector<Element>> decode(Datatype datatype, Shape shape, std::string_view json) {
  const auto count = static_cast<std::size_t>(shape.elements().value());
  std::vector<std::byte> block(1 + count * sizeof(Element));
  const auto destination = std::span(block).subspan(1);
  const auto decoded = decode_json_data(tensor(datatype, shape, json), destination);
  if (!decoded) return tl::unexpected(decoded.error());
  std::vector<Element> elements(count);
  if (count != 0) std::memcpy(elements.data(), destination.data(), destination.size());
  return elements;
}

std::string refusal(Datatype datatype, Shape shape, std::string_view json) {
  const auto item = traits(datatype).item_bytes;
  std::vector<std::byte> destination(static_cast<std::size_t>(shape.elements().value()) * item);
  const auto decoded = decode_json_data(tensor(datatype, shape, json), destination);
  if (decoded) return "(no error)";
  EXPECT_EQ(decoded.error().code, ErrorCode::invalid_argument);
  return decoded.error().message;
}

TEST(JsonData, flat_nested_and_mixed_are_equal) {
  for (const auto* json :
       {"[1,2,3,4]", "[[1,2],[3,4]]", "[[1,2],3,[4]]", " [ [ 1 , 2 ] , [\n3,\t4 ] ] ", "[[[1],[2]],[],[[3,4]]]"}) {
    const auto elements = decode<std::int32_t>(Datatype::int32, {2, 2}, json);
    ASSERT_TRUE(elements) << json << ": " << elements.error().message;
    EXPECT_THAT(*elements, ElementsAre(1, 2, 3, 4)) << json;
  }
}

TEST(JsonData, zero_elements_and_scalar) {
  for (const auto* json : {"[]", "[[],[]]", " [ ] "}) EXPECT_TRUE(decode<float>(Datatype::fp32, {2, 0}, json)) << json;
  EXPECT_THAT(decode<float>(Datatype::fp32, {}, "[2.5]").value(), ElementsAre(2.5F));
}

TEST(JsonData, the_count_must_match_the_shape) {
  EXPECT_EQ(refusal(Datatype::fp32, {1, 4}, "[1,2,3]"),
            "inputs[0].data ('x'): expected 4 elements for shape [1,4], got 3");
  EXPECT_EQ(refusal(Datatype::fp32, {1, 4}, "[[1,2,3],[4,5]]"),
            "inputs[0].data ('x'): expected 4 elements for shape [1,4], got 5");
  EXPECT_EQ(refusal(Datatype::fp32, {0}, "[1]"), "inputs[0].data ('x'): expected 0 elements for shape [0], got 1");
  EXPECT_EQ(refusal(Datatype::fp32, {1}, "[]"), "inputs[0].data ('x'): expected 1 elements for shape [1], got 0");
}

TEST(JsonData, integers_over_their_full_range) {
  EXPECT_THAT(decode<std::int64_t>(Datatype::int64, {2}, "[-9223372036854775808,9223372036854775807]").value(),
              ElementsAre(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()));
  EXPECT_THAT(decode<std::uint64_t>(Datatype::uint64, {2}, "[18446744073709551615,9007199254740993]").value(),
              ElementsAre(std::numeric_limits<std::uint64_t>::max(), 9007199254740993U));
  EXPECT_THAT(decode<std::int8_t>(Datatype::int8, {2}, "[-128,127]").value(), ElementsAre(-128, 127));
  EXPECT_THAT(decode<std::uint8_t>(Datatype::uint8, {2}, "[0,255]").value(), ElementsAre(0, 255));
  EXPECT_THAT(decode<std::int16_t>(Datatype::int16, {2}, "[-32768,32767]").value(), ElementsAre(-32768, 32767));
  EXPECT_THAT(decode<std::uint16_t>(Datatype::uint16, {1}, "[65535]").value(), ElementsAre(65535));
  EXPECT_THAT(decode<std::int32_t>(Datatype::int32, {1}, "[-2147483648]").value(),
              ElementsAre(std::numeric_limits<std::int32_t>::min()));
  EXPECT_THAT(decode<std::uint32_t>(Datatype::uint32, {1}, "[4294967295]").value(), ElementsAre(4294967295U));
}

TEST(JsonData, booleans_and_floats) {
  EXPECT_THAT(decode<std::uint8_t>(Datatype::boolean, {2}, "[true,false]").value(), ElementsAre(1, 0));
  EXPECT_THAT(decode<std::uint16_t>(Datatype::fp16, {4}, "[1,65504,5.9604645e-8,-0.0]").value(),
              ElementsAre(0x3C00, 0x7BFF, 1, 0x8000));
  EXPECT_THAT(decode<std::uint16_t>(Datatype::bf16, {2}, "[1,1.00390625]").value(), ElementsAre(0x3F80, 0x3F80));
  EXPECT_THAT(decode<float>(Datatype::fp32, {4}, "[0.1,1e-45,3.4028235e38,1e-400]").value(),
              ElementsAre(0.1F, std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::max(), 0.0F));
  EXPECT_THAT(decode<double>(Datatype::fp64, {2}, "[0.1,5e-324]").value(),
              ElementsAre(0.1, std::numeric_limits<double>::denorm_min()));
}

TEST(JsonData, elements_that_do_not_fit_are_refused_by_place_and_value) {
  EXPECT_EQ(refusal(Datatype::uint8, {2}, "[1,300]"),
            "inputs[0].data ('x'): element 1: expected an integer from 0 to 255 (UINT8), got 300");
  struct Case {
    Datatype datatype;
    std::string_view token;
  };
  for (const auto& [datatype, token] : {Case{Datatype::uint8, "-1"},
                                        Case{Datatype::int8, "128"},
                                        Case{Datatype::int32, "1.0"},
                                        Case{Datatype::int32, "1e2"},
                                        Case{Datatype::int64, "9223372036854775808"},
                                        Case{Datatype::uint64, "18446744073709551616"},
                                        Case{Datatype::int32, "01"},
                                        Case{Datatype::int32, "true"},
                                        Case{Datatype::int32, "\"1\""},
                                        Case{Datatype::int32, "null"},
                                        Case{Datatype::boolean, "1"},
                                        Case{Datatype::boolean, "\"true\""},
                                        Case{Datatype::boolean, "truex"},
                                        Case{Datatype::fp32, "1e39"},
                                        Case{Datatype::fp32, "1e400"},
                                        Case{Datatype::fp64, "1e400"},
                                        Case{Datatype::fp32, "NaN"},
                                        Case{Datatype::fp32, "-Infinity"},
                                        Case{Datatype::fp32, "nan"},
                                        Case{Datatype::fp32, "inf"},
                                        Case{Datatype::fp32, ".5"},
                                        Case{Datatype::fp32, "5."},
                                        Case{Datatype::fp32, "+1"},
                                        Case{Datatype::fp32, "1.5x"},
                                        Case{Datatype::fp16, "65520"},
                                        Case{Datatype::bf16, "3.4e38"},
                                        Case{Datatype::fp32, "{}"}}) {
    const auto message = refusal(datatype, {1}, std::string("[").append(token).append("]"));
    EXPECT_THAT(message, HasSubstr("inputs[0].data ('x'): element 0: expected ")) << token;
    EXPECT_THAT(message, HasSubstr(std::string("got ").append(token.substr(0, 1)))) << token;
  }
}

TEST(JsonData, brackets_and_commas_are_checked) {
  for (const auto* json : {"", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1}", "[1]]", "[[1]", "[1],", "1", "[1,,2]",
                           "[1] 2", "[[1],]", "[1]x"}) {
    EXPECT_THAT(refusal(Datatype::fp32, {1}, json), HasSubstr("inputs[0].data ('x'): ")) << json;
  }
}

TEST(JsonData, depth_is_bounded) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + "1" + std::string(depth, ']'); };
  EXPECT_TRUE(decode<float>(Datatype::fp32, {1}, nested(json_depth_max)));
  for (const std::size_t depth : {json_depth_max + 1, std::size_t{10'000}, std::size_t{100'000}}) {
    EXPECT_THAT(refusal(Datatype::fp32, {1}, nested(depth)), HasSubstr("at most 100 nested brackets"));
  }
}

TEST(JsonData, bytes_are_taken_as_binary_only) {
  EXPECT_THAT(refusal(Datatype::bytes, {1}, R"(["a"])"), HasSubstr("BYTES are taken as binary data only"));
}

TEST(JsonData, long_tokens_are_cut_in_messages) {
  EXPECT_LT(refusal(Datatype::fp32, {1}, "[" + std::string(100'000, '9') + "]").size(), 200U);
  EXPECT_LT(refusal(Datatype::fp32, {1}, "[\"" + std::string(100'000, '9') + "\"]").size(), 200U);
}

}  // namespace
}  // namespace headrace::proto
