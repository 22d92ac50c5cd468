#include "load/answer_outputs.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "load/connection.hpp"
#include "proto/infer_response.hpp"

namespace headrace::load {
namespace {

struct Padded {
  explicit Padded(std::string text) : bytes(text.size()), memory(std::move(text)) {
    memory.append(Connection::padding_bytes, '!');
  }
  std::string_view view() const { return std::string_view(memory).substr(0, bytes); }
  std::size_t bytes;
  std::string memory;
};

Answer with_json(std::size_t bytes) {
  Answer answer;
  answer.status = 200;
  answer.json_bytes = bytes;
  return answer;
}

TEST(AnswerOutputs, ReadsWhatOurCodecWrites) {
  const float scores[] = {0.5F, -1.5F};
  const std::int64_t ids[] = {9'007'199'254'740'993, -1};
  for (const bool binary : {false, true}) {
    const proto::OutputTensor outputs[] = {
        {"scores", proto::Datatype::fp32, {2, 1}, std::as_bytes(std::span(scores)), binary},
        {"ids", proto::Datatype::int64, {2}, std::as_bytes(std::span(ids)), binary}};
    const proto::InferResponse response{"an \"id\"", "m", "1", outputs};
    std::string text;
    ASSERT_TRUE(proto::encode_infer_response(response, text));
    const std::size_t json_bytes = text.size();
    if (binary) {
      text.append(reinterpret_cast<const char*>(scores), sizeof scores);
      text.append(reinterpret_cast<const char*>(ids), sizeof ids);
    }
    const Padded padded(text);
    AnswerOutputs answer;
    const auto parsed = answer.parse(binary ? with_json(json_bytes) : with_json(Answer::no_json_length), padded.view());
    ASSERT_TRUE(parsed) << parsed.error();
    EXPECT_EQ(answer.id(), "an \"id\"");
    ASSERT_EQ(answer.items().size(), 2U);
    EXPECT_EQ(answer.items()[0].name, "scores");
    EXPECT_EQ(answer.items()[0].shape, (proto::Shape{2, 1}));
    ASSERT_EQ(answer.items()[0].bytes.size(), sizeof scores);
    EXPECT_EQ(std::memcmp(answer.items()[0].bytes.data(), scores, sizeof scores), 0);
    ASSERT_EQ(answer.items()[1].bytes.size(), sizeof ids);
    EXPECT_EQ(std::memcmp(answer.items()[1].bytes.data(), ids, sizeof ids), 0);
  }
}

TEST(AnswerOutputs, FieldsComeInAnyOrder) {
  const Padded padded(
      R"( {"outputs":[{"data":[[1],[2.5]],"shape":[2,1],"extra":{"a":[1]},"datatype":"FP64","name":"y"}],"model_version":"3"} )");
  AnswerOutputs answer;
  const auto parsed = answer.parse(with_json(Answer::no_json_length), padded.view());
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_TRUE(answer.id().empty());
  EXPECT_EQ(answer.items()[0].bytes.size(), 16U);
}

TEST(AnswerOutputs, RefusalsNameTheField) {
  const auto refusal = [](std::string text, std::size_t json_bytes = Answer::no_json_length) {
    const Padded padded(std::move(text));
    AnswerOutputs answer;
    const auto parsed = answer.parse(with_json(json_bytes), padded.view());
    return parsed ? std::string("accepted") : parsed.error();
  };
  EXPECT_NE(refusal("").find("JSON"), std::string::npos);
  EXPECT_NE(refusal("[1]").find("object"), std::string::npos);
  EXPECT_NE(refusal("{}").find("'outputs'"), std::string::npos);
  EXPECT_NE(refusal(R"({"outputs":[]} {})").find("follows"), std::string::npos);
  EXPECT_NE(refusal(R"({"outputs":[]} x)").find("JSON"), std::string::npos);
  EXPECT_NE(refusal(R"({"outputs":{}})").find("'outputs'"), std::string::npos);
  EXPECT_NE(refusal(R"({"id":7,"outputs":[]})").find("'id'"), std::string::npos);
  EXPECT_NE(refusal(R"({"outputs":[7]})").find("outputs[0]"), std::string::npos);
  EXPECT_NE(refusal(R"({"outputs":[{"name":"y","shape":[1],"data":[1]}]})").find("missing"), std::string::npos);
  EXPECT_NE(refusal(R"({"outputs":[{"name":"y","datatype":"FP99","shape":[1],"data":[1]}]})").find("'datatype'"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"outputs":[{"name":"y","datatype":"FP32","shape":[-1],"data":[1]}]})").find("'shape'"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"outputs":[{"name":"y","datatype":"FP32","shape":[2],"data":[1]}]})").find("outputs[0]"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"outputs":[{"name":"y","datatype":"FP32","shape":[99999999999],"data":[1]}]})").find("'shape'"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"outputs":[{"name":"y","datatype":"FP32","shape":[1]}]})").find("neither"), std::string::npos);
  EXPECT_NE(refusal(R"({"outputs":[]})", 99).find("Inference-Header-Content-Length"), std::string::npos);
  EXPECT_NE(refusal(R"({"outputs":[{)").find("JSON"), std::string::npos);
  const std::string head =
      R"({"outputs":[{"name":"y","datatype":"FP32","shape":[1],"parameters":{"binary_data_size":4}}]})";
  EXPECT_NE(refusal(head + "123", head.size()).find("cut short"), std::string::npos);
  EXPECT_NE(refusal(head + "12345", head.size()).find("follow"), std::string::npos);
  EXPECT_EQ(refusal(head + "1234", head.size()), "accepted");
  const std::string wrong =
      R"({"outputs":[{"name":"y","datatype":"FP32","shape":[4611686018427387905],"parameters":{"binary_data_size":4}}]})";
  EXPECT_NE(refusal(wrong + "1234", wrong.size()).find("'binary_data_size'"), std::string::npos);
}

}  // namespace
}  // namespace headrace::load
