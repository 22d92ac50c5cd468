#include "service/pipeline/front_door.hpp"

#include <gmock/gmock.h>

#include <cstring>
#include <limits>

#include "proto/limits.hpp"
#include "tests/service/pipeline/rig.hpp"

namespace headrace::pipeline {
namespace {

proto::Result<Answer> answer_of(const Request& request) {
  Answer answer;
  if (auto encoded = FrontDoor::answer(request, answer); !encoded) return tl::unexpected(encoded.error());
  return answer;
}

using proto::ErrorCode;
using test::Ask;
using test::Rig;
using testing::HasSubstr;
using testing::StartsWith;

template <class T>
void expect_refused(const proto::Result<T>& result, ErrorCode code, const testing::Matcher<std::string>& message) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, code);
  EXPECT_THAT(result.error().message, message);
}

TEST(FrontDoor, FindsAModelByNameAndVersion) {
  Rig rig;
  rig.door->add_fault("broken", "no weights");
  EXPECT_EQ(rig.door->find("m", "").value(), rig.model);
  EXPECT_EQ(rig.door->find("m", "1").value(), rig.model);
  expect_refused(rig.door->find("m", "2"), ErrorCode::not_found, "model 'm': version 2 is not served (expected 1)");
  expect_refused(rig.door->find("m", "01"), ErrorCode::not_found, HasSubstr("version 01"));
  expect_refused(rig.door->find("who", ""), ErrorCode::not_found, "model 'who' is unknown");
  expect_refused(rig.door->find("", ""), ErrorCode::not_found, "model '' is unknown");
  expect_refused(rig.door->find("broken", ""), ErrorCode::not_ready, "model 'broken' is not ready: no weights");
  expect_refused(rig.door->find(std::string(5'000, 'n'), ""), ErrorCode::not_found, testing::SizeIs(testing::Lt(200u)));
}

TEST(FrontDoor, TheFirstBinaryTensorIsAlignedWhateverTheHeadsLength) {
  Rig rig;
  for (std::uint64_t json = 100; json < 400; ++json) {
    const auto request = rig.door->reserve(rig.model, {.body_bytes = json + 64, .json_bytes = json}, rig.mailbox);
    ASSERT_TRUE(request);
    const auto body = FrontDoor::body_of(**request);
    EXPECT_EQ(body.size(), json + 64);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(body.data() + json) % proto::body_alignment_bytes, 0u) << json;
    EXPECT_GE((*request)->body.capacity() - (*request)->body_offset, body.size() + proto::body_padding_bytes);
  }
}

TEST(FrontDoor, ChargesByClassSizeAndGivesAllBack) {
  Rig rig;
  {
    const auto request = rig.prepared({.rows = 10}).value();
    EXPECT_EQ(rig.door->requests_in_flight(), 1u);
    EXPECT_EQ(rig.door->bytes_held(), rig.pool->bytes_held()) << "the text of JSON outputs was given back";
    request->release();
    EXPECT_EQ(rig.door->bytes_held(), 0u);
    EXPECT_EQ(rig.door->requests_in_flight(), 0u);
    request->release();  // once more is nothing
  }
  {
    const auto request = rig.prepared({.rows = 10, .binary = false}).value();
    EXPECT_GT(rig.door->bytes_held(), rig.pool->bytes_held()) << "the text of JSON outputs stays charged";
  }
  EXPECT_EQ(rig.door->bytes_held(), 0u);
}

TEST(FrontDoor, WhatCouldNeverFitIsTooLarge) {
  Rig rig({.memory_bytes = 65'536});
  for (const std::uint64_t bytes :
       {std::uint64_t{65'536}, std::uint64_t{1} << 40, UINT64_MAX / 2, UINT64_MAX - 1'000}) {
    expect_refused(rig.door->reserve(rig.model, {.body_bytes = bytes, .json_bytes = 100}, rig.mailbox),
                   ErrorCode::payload_too_large, StartsWith("body: " + std::to_string(bytes) + " bytes need "));
  }
  EXPECT_EQ(rig.door->bytes_held(), 0u);
}

TEST(FrontDoor, ABudgetInUseIsRefusedAndServesAgainAfterwards) {
  Rig rig({.memory_bytes = 16'384});
  std::vector<std::shared_ptr<Request>> held;
  proto::Result<std::shared_ptr<Request>> next = rig.prepared({.rows = 10});
  for (; next; next = rig.prepared({.rows = 10})) held.push_back(*next);
  expect_refused(next, ErrorCode::over_budget, "the memory budget of 16384 bytes is in use");
  EXPECT_GE(held.size(), 2u);
  const auto bytes = rig.door->bytes_held();
  EXPECT_EQ(rig.door->requests_in_flight(), held.size()) << "a refused request holds nothing";
  held.pop_back();
  EXPECT_LT(rig.door->bytes_held(), bytes);
  EXPECT_TRUE(rig.prepared({.rows = 10}));
}

TEST(FrontDoor, RequestsInFlightAreBounded) {
  Rig rig({.requests_max = 2});
  const auto a = rig.prepared({});
  const auto b = rig.prepared({});
  expect_refused(rig.prepared({}), ErrorCode::over_budget, "2 requests are in flight already");
}

TEST(FrontDoor, AFullQueueIsRefusedBeforeAndAfterTheBody) {
  Rig rig({.queue_max = 2});
  const auto first = rig.send({});
  rig.settle();  // in the air
  const auto early = rig.prepared({}).value();
  const auto queued = rig.send_many(2);
  expect_refused(rig.prepared({}), ErrorCode::queue_full, "model 'm': the queue is full (2 requests)");
  expect_refused(rig.door->submit(early), ErrorCode::queue_full, "model 'm': the queue is full (2 requests)");
  EXPECT_EQ(early->state.owner(), RequestState::Owner::queued) << "still its session's own";
  early->release();
}

TEST(FrontDoor, NothingEntersAClosedDoor) {
  Rig rig;
  const auto early = rig.prepared({}).value();
  rig.door->close();
  EXPECT_TRUE(rig.door->closed());
  expect_refused(rig.prepared({}), ErrorCode::draining, "the service is shutting down");
  expect_refused(rig.door->submit(early), ErrorCode::draining, "the service is shutting down");
}

/// Reserves for exactly `bytes` and prepares.
proto::Result<std::shared_ptr<Request>> prepare(Rig& rig, const std::string& bytes,
                                                std::optional<std::uint64_t> json = {}) {
  auto request = rig.door->reserve(rig.model, {.body_bytes = bytes.size(), .json_bytes = json}, rig.mailbox);
  if (!request) return request;
  std::memcpy(FrontDoor::body_of(**request).data(), bytes.data(), bytes.size());
  proto::InferRequestParser parser;
  if (auto ready = rig.door->prepare(**request, parser); !ready) return tl::unexpected(ready.error());
  return request;
}

TEST(FrontDoor, JsonAndBinaryInputsGiveTheSameRows) {
  Rig rig;
  const Ask binary{.rows = 3, .first = 5};
  const Ask json{.rows = 3, .first = 5, .binary = false};
  const auto a = rig.prepared(binary).value();
  const auto b = rig.prepared(json).value();
  EXPECT_EQ(a->rows, 3u);
  EXPECT_EQ(b->rows, 3u);
  EXPECT_EQ(std::memcmp(a->inputs[0], b->inputs[0], 3 * 16), 0);
  EXPECT_FALSE(a->selection.any_json());
  EXPECT_TRUE(b->selection.any_json());
}

TEST(FrontDoor, MistakesInTheBodyAreNamed) {
  Rig rig;
  const auto with = [](std::string_view shape, std::string_view data) {
    return R"({"inputs":[{"name":"x","datatype":"FP32","shape":)" + std::string(shape) + R"(,"data":)" +
           std::string(data) + "}]}";
  };
  expect_refused(prepare(rig, ""), ErrorCode::invalid_argument, testing::Not(""));
  expect_refused(prepare(rig, "{}"), ErrorCode::invalid_argument, HasSubstr("inputs"));
  expect_refused(prepare(rig, with("[1,4]", "[1,2,3]")), ErrorCode::invalid_argument, HasSubstr("'x'"));
  expect_refused(prepare(rig, with("[1,3]", "[1,2,3]")), ErrorCode::invalid_argument,
                 "input 'x': expected shape [rows,4], got [1,3]");
  expect_refused(prepare(rig, with("[64,4]", "[1]")), ErrorCode::invalid_argument, HasSubstr("256 elements"));
  expect_refused(rig.prepared({.rows = 65}), ErrorCode::invalid_argument,
                 "input 'x': expected at most 64 rows (max_batch_size of model 'm'), got 65");
  EXPECT_EQ(rig.door->bytes_held(), 0u);
}

TEST(FrontDoor, NoRowsAreLegal) {
  Rig rig;
  const auto request = prepare(rig, R"({"inputs":[{"name":"x","datatype":"FP32","shape":[0,4],"data":[]}]})");
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ((*request)->rows, 0u);
  const auto answer = answer_of(**request);
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->head, HasSubstr(R"("shape":[0,4])"));
}

TEST(FrontDoor, TheAnswerHasItsOutputsInTheirForm) {
  Rig rig;
  const auto binary = rig.send({.rows = 2, .first = 1});
  const auto json = rig.send({.rows = 1, .first = 1, .binary = false});
  rig.settle();
  rig.device.complete_first();
  rig.settle();
  const auto blob = answer_of(*binary->request);
  ASSERT_TRUE(blob);
  EXPECT_EQ(blob->blob_count, 1u);
  EXPECT_EQ(blob->blob_bytes, 32u);
  EXPECT_EQ(blob->blobs[0].data(), binary->request->outputs[0]) << "nothing is copied";
  EXPECT_THAT(blob->head, HasSubstr(R"("binary_data_size":32)"));
  const auto text = answer_of(*json->request);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->blob_count, 0u);
  EXPECT_THAT(text->head, HasSubstr("[3,5,7,9]"));
  EXPECT_LE(text->head.size(), json->request->text_bytes + 200) << "what was charged for it bounds it";
}

TEST(FrontDoor, AnAnswerThatJsonCannotCarryIsRefused) {
  Rig rig;
  const auto sent = rig.send({.rows = 1, .first = 1, .binary = false});
  rig.settle();
  rig.device.complete_first();
  rig.settle();
  const float infinity = std::numeric_limits<float>::infinity();
  std::memcpy(sent->request->outputs[0], &infinity, sizeof infinity);
  expect_refused(answer_of(*sent->request), ErrorCode::not_representable, HasSubstr("'y'"));
}

}  // namespace
}  // namespace headrace::pipeline
