#include "load/payload.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "proto/infer_request.hpp"
#include "proto/limits.hpp"

namespace headrace::load {
namespace {

ModelInfo model_of(std::vector<TensorInfo> inputs) {
  ModelInfo model;
  model.name = "m";
  model.inputs = std::move(inputs);
  model.outputs = {{"y", proto::Datatype::fp32, {1}}};
  return model;
}

PayloadPlan plan_of(Format format, RowRange rows, bool with_id) {
  PayloadPlan plan;
  plan.path = "/v2/models/m/infer";
  plan.authority = "h:1";
  plan.format = format;
  plan.rows = rows;
  plan.with_id = with_id;
  return plan;
}

/// A body as it goes over the wire, read back by the service's own codec.
struct Sent {
  std::string head;
  std::string body;
  proto::InferRequest request;
};

std::string header_value(const std::string& head, const std::string& name) {
  const std::size_t at = head.find("\r\n" + name + ": ");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + name.size() + 4;
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

void read_back(const Payload& payload, const Body& body, Sent& sent) {
  std::string wire = body.head;
  if (payload.with_id()) wire += "0123456789abcdef" + body.tail;
  for (const auto blob : body.blobs) wire.append(reinterpret_cast<const char*>(blob.data()), blob.size());
  const std::size_t end = wire.find("\r\n\r\n") + 4;
  sent.head = wire.substr(0, end);
  sent.body = wire.substr(end);
  ASSERT_EQ(header_value(sent.head, "Content-Length"), std::to_string(sent.body.size()));
  std::optional<std::size_t> json_bytes;
  if (const auto value = header_value(sent.head, "Inference-Header-Content-Length"); !value.empty()) {
    json_bytes = std::stoul(value);
  }
  const std::size_t bytes = sent.body.size();
  sent.body.append(proto::body_padding_bytes, '\0');
  proto::InferRequestParser parser;
  const auto parsed = parser.parse(std::as_bytes(std::span(sent.body)).first(bytes), json_bytes, sent.request);
  ASSERT_TRUE(parsed) << parsed.error().message;
}

std::vector<Rows> numbered_rows(std::size_t count) {
  std::vector<std::byte> bytes(count * 2 * sizeof(float));
  for (std::size_t i = 0; i < count * 2; ++i) {
    const auto value = static_cast<float>(i);
    std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
  }
  std::vector<Rows> inputs;
  inputs.emplace_back(proto::Datatype::fp32, 2, 2 * sizeof(float), std::move(bytes));
  return inputs;
}

TEST(Payload, BinaryBodiesTakeTheRowsInTurn) {
  const ModelInfo model = model_of({{"x", proto::Datatype::fp32, {2}}});
  const Payload payload = Payload::prepare(plan_of(Format::binary, {1, 5}, false), model, numbered_rows(1000));
  EXPECT_EQ(payload.rows_covered(), 1000U);
  std::size_t row = 0;
  std::set<std::uint32_t> counts;
  for (const Body& body : payload.bodies()) {
    EXPECT_EQ(body.first_row, row % 1000);
    Sent sent;
    read_back(payload, body, sent);
    ASSERT_EQ(sent.request.inputs.size(), 1U);
    const auto& input = sent.request.inputs[0];
    EXPECT_EQ(input.shape, (proto::Shape{body.rows, 2}));
    EXPECT_TRUE(sent.request.binary_data_output && sent.request.id.empty());
    for (std::size_t i = 0; i < body.rows; ++i) {
      float value = 0;
      std::memcpy(&value, input.bytes.data() + i * 2 * sizeof value, sizeof value);
      ASSERT_EQ(value, static_cast<float>((row + i) % 1000 * 2));
    }
    counts.insert(body.rows);
    row += body.rows;
  }
  EXPECT_EQ(counts, (std::set<std::uint32_t>{1, 2, 3, 4, 5}));
}

TEST(Payload, IdsHaveTheirPlace) {
  const ModelInfo model = model_of({{"x", proto::Datatype::fp32, {2}}});
  for (const Format format : {Format::binary, Format::json}) {
    const Payload payload = Payload::prepare(plan_of(format, {2, 2}, true), model, numbered_rows(4));
    ASSERT_GE(payload.bodies().size(), Payload::bodies_min);
    Sent sent;
    read_back(payload, payload.bodies()[1], sent);
    EXPECT_EQ(sent.request.id, "0123456789abcdef");
    EXPECT_EQ(header_value(sent.head, "Host"), "h:1");
    EXPECT_TRUE(sent.head.starts_with("POST /v2/models/m/infer HTTP/1.1\r\n"));
  }
}

TEST(Payload, JsonBodiesCarryTheSameValues) {
  for (const auto& traits : proto::datatypes()) {
    const ModelInfo model = model_of({{"a \"quoted\" name", traits.datatype, {3, 2}}});
    std::vector<Rows> inputs = random_inputs(model, {2, 2}, 11);
    const Payload payload = Payload::prepare(plan_of(Format::json, {2, 2}, false), model, inputs);
    const Body& body = payload.bodies()[3];
    Sent sent;
    read_back(payload, body, sent);
    const auto& input = sent.request.inputs.at(0);
    EXPECT_EQ(input.name, model.inputs[0].name);
    EXPECT_EQ(input.shape, (proto::Shape{2, 3, 2}));
    if (traits.datatype == proto::Datatype::bytes) continue;  // has no fixed size to decode to
    std::vector<std::byte> decoded(12 * traits.item_bytes);
    const auto done = proto::decode_json_data(input, decoded);
    ASSERT_TRUE(done) << traits.name << ": " << done.error().message;
    const auto window = inputs[0].window(body.first_row, 2);
    EXPECT_TRUE(std::equal(decoded.begin(), decoded.end(), window.begin(), window.end())) << traits.name;
  }
}

TEST(Payload, SeveralInputsAndAllDatatypesTravelAsBlobs) {
  std::vector<TensorInfo> inputs;
  for (const auto& traits : proto::datatypes()) {
    inputs.push_back({"in_" + std::string(traits.name), traits.datatype, {5}});
  }
  const ModelInfo model = model_of(inputs);
  const Payload payload =
      Payload::prepare(plan_of(Format::binary, {1, 3}, true), model, random_inputs(model, {1, 3}, 5));
  Sent sent;
  read_back(payload, payload.bodies()[0], sent);
  EXPECT_EQ(sent.request.inputs.size(), inputs.size());
}

TEST(Payload, AnUnbatchedModelHasNoRowDimension) {
  ModelInfo model = model_of({{"x", proto::Datatype::fp32, {2}}});
  model.batched = false;
  const Payload payload = Payload::prepare(plan_of(Format::binary, {1, 1}, false), model, numbered_rows(3));
  Sent sent;
  read_back(payload, payload.bodies()[0], sent);
  EXPECT_EQ(sent.request.inputs[0].shape, (proto::Shape{2}));
}

TEST(Payload, BodiesAreBounded) {
  const ModelInfo model = model_of({{"x", proto::Datatype::fp32, {2}}});
  PayloadPlan plan = plan_of(Format::binary, {1, 1}, false);
  plan.bodies_max = 100;
  const Payload payload = Payload::prepare(plan, model, numbered_rows(1000));
  EXPECT_EQ(payload.bodies().size(), 100U);
  EXPECT_EQ(payload.rows_covered(), 100U);
}

TEST(Payload, RawBodiesAreFixedBytes) {
  PayloadPlan plan;
  plan.authority = "h:1";
  const Payload payload = Payload::raw(plan, 10);
  ASSERT_EQ(payload.bodies().size(), 1U);
  EXPECT_TRUE(payload.bodies()[0].head.starts_with("POST / HTTP/1.1\r\n"));
  EXPECT_TRUE(payload.bodies()[0].head.ends_with("Content-Length: 10\r\n\r\nxxxxxxxxxx"));
}

}  // namespace
}  // namespace headrace::load
