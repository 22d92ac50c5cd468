#include "service/pipeline/reservation.hpp"

#include <gtest/gtest.h>

#include "proto/infer_response.hpp"
#include "proto/limits.hpp"

namespace headrace::pipeline {
namespace {

using proto::Datatype;

proto::ModelDescription model_of(std::vector<std::vector<std::int64_t>> inputs,
                                 std::vector<std::vector<std::int64_t>> outputs, std::uint32_t rows_max) {
  proto::ModelDescription model;
  model.max_batch_size = rows_max;
  for (auto& shape : inputs)
    model.inputs.push_back({.name = "i", .datatype = Datatype::fp32, .row_shape = std::move(shape)});
  for (auto& shape : outputs)
    model.outputs.push_back({.name = "o", .datatype = Datatype::fp32, .row_shape = std::move(shape)});
  return model;
}

TEST(Reservation, RowsAndAlignment) {
  EXPECT_EQ(align_up(0), 0u);
  EXPECT_EQ(align_up(1), 256u);
  EXPECT_EQ(align_up(256), 256u);
  EXPECT_EQ(align_up(257), 512u);
  EXPECT_EQ(row_elements({.name = {}, .datatype = Datatype::int16, .row_shape = {2, 3}}), 6u);
  EXPECT_EQ(row_bytes({.name = {}, .datatype = Datatype::int16, .row_shape = {2, 3}}), 12u);
  EXPECT_EQ(row_bytes({.name = {}, .datatype = Datatype::fp64, .row_shape = {}}), 8u);
  EXPECT_EQ(row_elements({.name = {}, .datatype = Datatype::fp64, .row_shape = {4, 0}}), 0u);
}

TEST(Reservation, TheFirstTensorStandsOnABoundary) {
  const auto model = model_of({{4}}, {{4}}, 100);
  for (std::uint64_t json = 0; json < 600; ++json) {
    const auto need = reserve_for({.body_bytes = json + 160, .json_bytes = json}, model);
    EXPECT_LT(need.body_offset, proto::body_alignment_bytes);
    EXPECT_EQ((need.body_offset + json) % proto::body_alignment_bytes, 0u) << json;
    EXPECT_EQ(need.body, need.body_offset + json + 160 + proto::body_padding_bytes);
  }
  EXPECT_EQ(reserve_for({.body_bytes = 160, .json_bytes = {}}, model).body_offset, 0u);
}

TEST(Reservation, ABinaryRequestKnowsItsRows) {
  const auto model = model_of({{4}}, {{2}}, 100);
  const auto need = reserve_for({.body_bytes = 200 + 10 * 16, .json_bytes = 200}, model);
  EXPECT_GE(need.rows_max, 10u);
  EXPECT_LE(need.rows_max, 26u) << "or its 200 bytes of JSON could hold 25 and a rest";
  EXPECT_EQ(need.decoded, 0u) << "the blob is the only input's";
  EXPECT_EQ(need.output, align_up(need.rows_max * 8));
  EXPECT_EQ(need.text, need.rows_max * 2 * proto::json_element_bytes_max(Datatype::fp32));
}

TEST(Reservation, AJsonRequestIsBoundedByItsText) {
  const auto model = model_of({{4}}, {{4}}, 1'000'000);
  // The shortest rows possible: "0,0,0,0," is 8 bytes.
  const auto need = reserve_for({.body_bytes = 8'000, .json_bytes = {}}, model);
  EXPECT_GE(need.rows_max, 1'000u);
  EXPECT_LE(need.rows_max, 1'001u);
  EXPECT_GE(need.decoded, 1'000u * 16);
}

TEST(Reservation, NeverMoreThanTheLargestBatch) {
  const auto model = model_of({{4}}, {{4}}, 10);
  const auto need = reserve_for({.body_bytes = 1'000'000, .json_bytes = {}}, model);
  EXPECT_EQ(need.rows_max, 10u);
  EXPECT_EQ(need.output, align_up(10 * 16));
  EXPECT_LE(need.decoded, 10 * 16 + proto::body_alignment_bytes);
}

TEST(Reservation, OnlyWhatComesAsTextIsBoundedByTheText) {
  auto model = model_of({{16}, {1}}, {{1}}, 4'000);
  model.inputs[0].datatype = proto::Datatype::uint8;
  model.inputs[1].datatype = proto::Datatype::fp64;
  // 1,000 rows: the first input as a blob, the second as "0,0,…" in the head.
  const auto need = reserve_for({.body_bytes = 2'250 + 16'000, .json_bytes = 2'250}, model);
  EXPECT_GE(need.decoded, 1'000u * 8);
}

TEST(Reservation, TwoInputsMayMixBothForms) {
  const auto model = model_of({{1}, {100}}, {{1}}, 1'000);
  const auto need = reserve_for({.body_bytes = 300 + 400 * 5, .json_bytes = 300}, model);
  EXPECT_GT(need.decoded, 0u);
  EXPECT_GE(need.rows_max, 5u);
  EXPECT_LE(need.rows_max, 6u) << "the wide input bounds the narrow one";
}

TEST(Reservation, AnEmptyBodyAndALengthBeyondItAreHarmless) {
  const auto model = model_of({{4}}, {{4}}, 10);
  const auto empty = reserve_for({.body_bytes = 0, .json_bytes = {}}, model);
  EXPECT_EQ(empty.body, proto::body_padding_bytes);
  EXPECT_LE(empty.rows_max, 1u);
  const auto beyond = reserve_for({.body_bytes = 10, .json_bytes = 1'000}, model);
  EXPECT_LE(beyond.body, 256u + 10 + proto::body_padding_bytes);
}

TEST(Reservation, EnoughForEveryRequestThatIsPossible) {
  // Rows in the shortest spelling, binary and JSON: what is reserved must hold what the request will need.
  for (const std::int64_t columns : {1, 3, 64}) {
    const auto model = model_of({{columns}}, {{columns}}, 5'000);
    const auto row_size = static_cast<std::uint64_t>(columns) * 4;
    for (const std::uint64_t rows : {1u, 2u, 63u, 64u, 1'000u, 5'000u}) {
      const auto binary = reserve_for({.body_bytes = 90 + rows * row_size, .json_bytes = 90}, model);
      EXPECT_GE(binary.output, rows * row_size);
      const auto text =
          reserve_for({.body_bytes = 60 + rows * static_cast<std::uint64_t>(columns) * 2, .json_bytes = {}}, model);
      EXPECT_GE(text.output, rows * row_size);
      EXPECT_GE(text.decoded, rows * row_size);
    }
  }
}

}  // namespace
}  // namespace headrace::pipeline
