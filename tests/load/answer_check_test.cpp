#include "load/answer_check.hpp"

#include <gtest/gtest.h>

#include "load/connection.hpp"
#include "proto/infer_response.hpp"

namespace headrace::load {
namespace {

ModelInfo model() {
  ModelInfo model;
  model.name = "m";
  model.inputs = {{"x", proto::Datatype::fp32, {1}}};
  model.outputs = {{"y", proto::Datatype::fp32, {1}}};
  return model;
}

std::string answer_text(std::string_view id, const std::vector<float>& values) {
  const proto::OutputTensor outputs[] = {{"y",
                                          proto::Datatype::fp32,
                                          {static_cast<std::int64_t>(values.size()), 1},
                                          std::as_bytes(std::span(values)),
                                          false}};
  std::string text;
  EXPECT_TRUE(proto::encode_infer_response({id, "m", "1", outputs}, text));
  return text;
}

Body body_of(std::uint32_t rows, std::size_t first_row) {
  Body body;
  body.rows = rows;
  body.first_row = first_row;
  return body;
}

std::optional<AnswerCheck::Finding> check(AnswerCheck& check, const Body& body, std::size_t number, std::string text) {
  const std::size_t bytes = text.size();
  text.append(Connection::padding_bytes, '\0');
  Answer answer;
  answer.status = 200;
  return check.check({body, number, "id1"}, answer, std::string_view(text).substr(0, bytes));
}

TEST(AnswerCheck, EqualBodiesMustGetEqualAnswers) {
  auto expectations = Expectations::equal_answers(model(), 2, 1e-4);
  AnswerCheck one(expectations);
  AnswerCheck other(expectations);  // as in another thread
  const Body body = body_of(2, 0);
  EXPECT_FALSE(check(one, body, 0, answer_text("id1", {1, 2})));
  EXPECT_EQ(one.compared(), 0U);
  EXPECT_FALSE(check(one, body, 0, answer_text("id1", {1, 2.00001F})));
  EXPECT_FALSE(check(other, body, 1, answer_text("id1", {3, 4})));  // another body
  const auto finding = check(other, body, 0, answer_text("id1", {1, 2.1F}));
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, ErrorKind::verify_mismatch);
  EXPECT_EQ(one.compared(), 1U);
  EXPECT_EQ(other.compared(), 1U);
}

TEST(AnswerCheck, KnownRowsFollowTheInput) {
  const std::vector<double> values{10, 11, 12};
  const auto bytes = std::as_bytes(std::span(values));
  Rows known(proto::Datatype::fp64, 1, sizeof(double), {bytes.begin(), bytes.end()});
  auto expectations = Expectations::known_rows(model(), std::move(known), {1, 4}, 1e-4);
  AnswerCheck checker(expectations);
  EXPECT_FALSE(check(checker, body_of(2, 0), 0, answer_text("id1", {10, 11})));
  EXPECT_FALSE(check(checker, body_of(4, 2), 1, answer_text("id1", {12, 10, 11, 12})));
  const auto finding = check(checker, body_of(1, 1), 2, answer_text("id1", {10}));
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, ErrorKind::verify_mismatch);
  EXPECT_EQ(checker.compared(), 3U);
}

TEST(AnswerCheck, IdsBelongToTheirRequests) {
  auto expectations = Expectations::equal_answers(model(), 1, 0);
  AnswerCheck checker(expectations);
  for (const char* id : {"id2", "id11", ""}) {
    const auto finding = check(checker, body_of(1, 0), 0, answer_text(id, {1}));
    ASSERT_TRUE(finding) << id;
    EXPECT_EQ(finding->kind, ErrorKind::wrong_id);
  }
}

TEST(AnswerCheck, WhatIsNoAnswerOfTheModelIsAProtocolError) {
  auto expectations = Expectations::equal_answers(model(), 1, 0);
  AnswerCheck checker(expectations);
  const auto kind = [&](std::string text) {
    const auto finding = check(checker, body_of(1, 0), 0, std::move(text));
    return finding ? std::optional(finding->kind) : std::nullopt;
  };
  EXPECT_EQ(kind("nonsense"), ErrorKind::protocol);
  EXPECT_EQ(kind(R"({"id":"id1","outputs":[]})"), ErrorKind::protocol);
  EXPECT_EQ(kind(answer_text("id1", {1, 2})), ErrorKind::protocol);  // two rows for one
}

}  // namespace
}  // namespace headrace::load
