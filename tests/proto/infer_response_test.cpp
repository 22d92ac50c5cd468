#include "proto/infer_response.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/proto/body.hpp"

namespace headrace::proto {
namespace {

using test::bytes_of;
using testing::HasSubstr;

Result<std::string> encode(std::vector<OutputTensor> outputs, std::string_view id = {}) {
  const InferResponse response{.id = id, .model_name = "m", .model_version = "1", .outputs = outputs};
  std::string text;
  auto encoded = encode_infer_response(response, text);
  if (!encoded) return tl::unexpected(encoded.error());
  return text;
}

template <class Element>
std::string data_text(Datatype datatype, const std::vector<Element>& elements) {
  const auto blob = bytes_of(elements);
  const Shape shape{static_cast<std::int64_t>(elements.size())};
  const auto text =
      encode({{.name = "y", .datatype = datatype, .shape = shape, .bytes = std::as_bytes(std::span(blob))}}).value();
  const auto begin = text.find("\"data\":") + 7;
  return text.substr(begin, text.rfind(']', text.size() - 4) + 1 - begin);
}

TEST(InferResponse, head_with_json_and_binary_outputs) {
  const auto floats = bytes_of<float>({0.1F, 1.0F});
  const std::string blob(12, 'b');
  const std::vector<OutputTensor> outputs{
      {.name = "p", .datatype = Datatype::fp32, .shape = {1, 2}, .bytes = std::as_bytes(std::span(floats))},
      {.name = "q",
       .datatype = Datatype::int32,
       .shape = {1, 3},
       .bytes = std::as_bytes(std::span(blob)),
       .binary = true}};
  EXPECT_EQ(encode(outputs, "42").value(),
            R"({"id":"42","model_name":"m","model_version":"1","outputs":[)"
            R"({"name":"p","datatype":"FP32","shape":[1,2],"data":[0.1,1]},)"
            R"({"name":"q","datatype":"INT32","shape":[1,3],"parameters":{"binary_data_size":12}}]})");
  EXPECT_EQ((InferResponse{.id = {}, .model_name = {}, .model_version = {}, .outputs = outputs}).blob_bytes(), 12U);
}

TEST(InferResponse, id_only_when_given_and_with_its_exact_bytes) {
  EXPECT_THAT(encode({}).value(), testing::Not(HasSubstr("\"id\"")));
  EXPECT_THAT(encode({}, "\u00e9\"\n").value(), HasSubstr("\"id\":\"\u00e9\\\"\\n\""));
  const std::string long_id(10'000, 'i');
  EXPECT_THAT(encode({}, long_id).value(), HasSubstr(long_id));
}

TEST(InferResponse, numbers_are_exact) {
  EXPECT_EQ(data_text<std::uint8_t>(Datatype::boolean, {0, 1, 255}), "[false,true,true]");
  EXPECT_EQ(data_text<std::uint8_t>(Datatype::uint8, {0, 255}), "[0,255]");
  EXPECT_EQ(data_text<std::int8_t>(Datatype::int8, {-128, 127}), "[-128,127]");
  EXPECT_EQ(data_text<std::int64_t>(Datatype::int64, {std::numeric_limits<std::int64_t>::min()}),
            "[-9223372036854775808]");
  EXPECT_EQ(data_text<std::uint64_t>(Datatype::uint64, {std::numeric_limits<std::uint64_t>::max()}),
            "[18446744073709551615]");
  EXPECT_EQ(data_text<float>(Datatype::fp32, {0.1F, -0.0F, 0.0F, 1e20F, std::numeric_limits<float>::denorm_min()}),
            "[0.1,-0.0,0,1e+20,1e-45]");
  EXPECT_EQ(data_text<double>(Datatype::fp64, {0.1, -0.0, 1e300}), "[0.1,-0.0,1e+300]");
  EXPECT_EQ(data_text<std::uint16_t>(Datatype::fp16, {0x3C00, 0x8000, 0x7BFF}), "[1,-0.0,65504]");
  EXPECT_EQ(data_text<std::uint16_t>(Datatype::bf16, {0x3F80, 0x4049}), "[1,3.140625]");
  EXPECT_EQ(data_text<float>(Datatype::fp32, {}), "[]");
}

TEST(InferResponse, what_json_cannot_carry_is_refused_and_leaves_the_text) {
  const auto refuse = [](Datatype datatype, const std::string& blob) {
    const std::vector<OutputTensor> outputs{
        {.name = "bad", .datatype = datatype, .shape = {1}, .bytes = std::as_bytes(std::span(blob))}};
    std::string text = "before";
    const auto encoded =
        encode_infer_response({.id = {}, .model_name = "m", .model_version = "1", .outputs = outputs}, text);
    EXPECT_EQ(text, "before");
    ASSERT_FALSE(encoded);
    EXPECT_EQ(encoded.error().code, ErrorCode::not_representable);
    EXPECT_THAT(encoded.error().message, HasSubstr("output 'bad'"));
    EXPECT_THAT(encoded.error().message, HasSubstr("binary"));
  };
  refuse(Datatype::fp32, bytes_of<float>({std::numeric_limits<float>::quiet_NaN()}));
  refuse(Datatype::fp64, bytes_of<double>({-std::numeric_limits<double>::infinity()}));
  refuse(Datatype::fp16, bytes_of<std::uint16_t>({0x7C00}));
  refuse(Datatype::bf16, bytes_of<std::uint16_t>({0x7FC0}));
  refuse(Datatype::fp32,
         bytes_of<float>(std::vector<float>(5000, 1.0F)) + bytes_of<float>({std::numeric_limits<float>::infinity()}));
  refuse(Datatype::bytes, std::string("\x01\0\0\0\xff", 5));
}

TEST(InferResponse, bytes_are_strings) {
  const std::string blob("\x03\0\0\0a\"b\0\0\0\0", 11);
  EXPECT_THAT(
      encode({{.name = "y", .datatype = Datatype::bytes, .shape = {2}, .bytes = std::as_bytes(std::span(blob))}})
          .value(),
      HasSubstr(R"("data":["a\"b",""])"));
}

// Encodes `blob` as JSON and decodes it again: nothing may change.
void expect_round_trip(Datatype datatype, const std::string& blob) {
  const auto count = static_cast<std::int64_t>(blob.size() / traits(datatype).item_bytes);
  const auto text =
      encode({{.name = "y", .datatype = datatype, .shape = {count}, .bytes = std::as_bytes(std::span(blob))}}).value();
  InputTensor input;
  input.datatype = datatype;
  input.shape = {count};
  const auto begin = text.find("\"data\":") + 7;
  input.json = std::string_view(text).substr(begin, text.size() - 3 - begin);
  EXPECT_LE(input.json.size(), static_cast<std::size_t>(count) * json_element_bytes_max(datatype) + 2);
  std::vector<std::byte> decoded(blob.size());
  const auto result = decode_json_data(input, decoded);
  ASSERT_TRUE(result) << traits(datatype).name << ": " << result.error().message;
  EXPECT_EQ(test::text_of(decoded), blob) << traits(datatype).name;
}

template <class Element>
std::string extremes() {
  using Limits = std::numeric_limits<Element>;
  std::vector<Element> elements{Limits::lowest(), Limits::max(), Element{0}, Element{1}};
  if constexpr (std::is_floating_point_v<Element>) {
    for (const auto value : {Limits::min(), Limits::denorm_min(), Limits::epsilon(), -Limits::min(), Element{0.0}}) {
      elements.insert(elements.end(), {value, -value, std::nextafter(value, Element{1})});
    }
  }
  return bytes_of(elements);
}

TEST(InferResponse, round_trip_of_extreme_values) {
  expect_round_trip(Datatype::boolean, std::string("\0\1", 2));
  expect_round_trip(Datatype::uint8, extremes<std::uint8_t>());
  expect_round_trip(Datatype::uint16, extremes<std::uint16_t>());
  expect_round_trip(Datatype::uint32, extremes<std::uint32_t>());
  expect_round_trip(Datatype::uint64, extremes<std::uint64_t>());
  expect_round_trip(Datatype::int8, extremes<std::int8_t>());
  expect_round_trip(Datatype::int16, extremes<std::int16_t>());
  expect_round_trip(Datatype::int32, extremes<std::int32_t>());
  expect_round_trip(Datatype::int64, extremes<std::int64_t>());
  expect_round_trip(Datatype::fp32, extremes<float>());
  expect_round_trip(Datatype::fp64, extremes<double>());
}

TEST(InferResponse, round_trip_of_all_16_bit_floats) {
  for (const auto& [datatype, exponent] : {std::pair{Datatype::fp16, 0x7C00U}, std::pair{Datatype::bf16, 0x7F80U}}) {
    std::vector<std::uint16_t> finite;
    for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
      if ((bits & exponent) != exponent) finite.push_back(static_cast<std::uint16_t>(bits));
    }
    expect_round_trip(datatype, bytes_of(finite));
  }
}

TEST(InferResponse, round_trip_of_random_bits) {
  std::mt19937_64 random(3);
  std::vector<float> floats;
  std::vector<double> doubles;
  while (doubles.size() < 50'000) {
    const auto wide = std::bit_cast<double>(random());
    const auto narrow = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isfinite(wide)) doubles.push_back(wide);
    if (std::isfinite(narrow)) floats.push_back(narrow);
  }
  expect_round_trip(Datatype::fp32, bytes_of(floats));
  expect_round_trip(Datatype::fp64, bytes_of(doubles));
}

}  // namespace
}  // namespace headrace::proto
