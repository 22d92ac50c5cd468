#include "load/payload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <iterator>
#include <random>

#include "load/json_data.hpp"
#include "proto/json_writer.hpp"

namespace headrace::load {
namespace {

constexpr std::size_t random_rows_max = 4096;
constexpr std::size_t random_bytes_max = std::size_t{64} << 20;

std::string shape_text(const ModelInfo& model, const TensorInfo& tensor, std::uint32_t rows) {
  std::string text = "[";
  if (model.batched) text += fmt::format("{}", rows);
  for (const std::int64_t dim : tensor.row_shape) text += fmt::format("{}{}", text.size() > 1 ? "," : "", dim);
  return text + "]";
}

/// The JSON of a request without `{"id":"…",` in front.
std::string request_json(const PayloadPlan& plan, const ModelInfo& model, const Body& body,
                         std::span<const std::span<const std::byte>> blobs) {
  std::string text;
  if (plan.format == Format::binary) text += R"("parameters":{"binary_data_output":true},)";
  text += R"("inputs":[)";
  for (std::size_t i = 0; i < blobs.size(); ++i) {
    const TensorInfo& input = model.inputs[i];
    text += i == 0 ? R"({"name":)" : R"(,{"name":)";
    proto::append_json_string(text, input.name);
    text += fmt::format(R"(,"datatype":"{}","shape":{},)", proto::traits(input.datatype).name,
                        shape_text(model, input, body.rows));
    if (plan.format == Format::binary) {
      text += fmt::format(R"("parameters":{{"binary_data_size":{}}}}})", blobs[i].size());
    } else {
      text += R"("data":)";
      append_json_data(text, input.datatype, blobs[i]);
      text += '}';
    }
  }
  return text + "]}";
}

std::string http_head(const PayloadPlan& plan, std::size_t json_bytes, std::size_t blob_bytes) {
  std::string head = fmt::format("POST {} HTTP/1.1\r\nHost: {}\r\n", plan.path, plan.authority);
  if (plan.format == Format::binary) {
    head +=
        fmt::format("Content-Type: application/octet-stream\r\nInference-Header-Content-Length: {}\r\n", json_bytes);
  } else {
    head += "Content-Type: application/json\r\n";
  }
  return head + fmt::format("Content-Length: {}\r\n\r\n", json_bytes + blob_bytes);
}

void write_request(const PayloadPlan& plan, const ModelInfo& model, std::span<const Rows> inputs, Body& body) {
  std::vector<std::span<const std::byte>> blobs;
  std::size_t blob_bytes = 0;
  for (const Rows& input : inputs) {
    blobs.push_back(input.window(body.first_row, body.rows));
    if (plan.format == Format::binary) blob_bytes += blobs.back().size();
  }
  const std::string json = request_json(plan, model, body, blobs);
  if (plan.with_id) {
    constexpr std::string_view before = R"({"id":")";
    body.tail = "\"," + json;
    body.head = http_head(plan, before.size() + request_id_bytes + body.tail.size(), blob_bytes);
    body.head += before;
  } else {
    body.head = http_head(plan, json.size() + 1, blob_bytes) + "{" + json;
  }
  if (plan.format == Format::binary) body.blobs = std::move(blobs);
}

}  // namespace

Payload Payload::prepare(const PayloadPlan& plan, const ModelInfo& model, std::vector<Rows> inputs) {
  assert(!inputs.empty() && inputs.size() == model.inputs.size() && plan.rows.min >= 1 &&
         plan.rows.max >= plan.rows.min);
  Payload payload;
  payload.with_id_ = plan.with_id;
  payload.inputs_ = std::move(inputs);
  for (Rows& input : payload.inputs_) input.allow_windows(plan.rows.max);

  const std::size_t input_rows = payload.inputs_.front().count();
  std::mt19937_64 random(plan.seed);
  std::uniform_int_distribution<std::uint32_t> row_count(plan.rows.min, plan.rows.max);
  std::size_t taken = 0;
  std::size_t text_bytes = 0;
  while (payload.bodies_.size() < plan.bodies_max && text_bytes < text_bytes_max) {
    if (taken >= input_rows && payload.bodies_.size() >= bodies_min) break;
    Body body;
    body.rows = row_count(random);
    body.first_row = taken % input_rows;
    write_request(plan, model, payload.inputs_, body);
    taken += body.rows;
    text_bytes += body.head.size() + body.tail.size();
    payload.bodies_.push_back(std::move(body));
  }
  payload.rows_covered_ = std::min(taken, input_rows);
  return payload;
}

Payload Payload::raw(const PayloadPlan& plan, std::size_t bytes) {
  Payload payload;
  Body body;
  body.head = fmt::format(
      "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/octet-stream\r\nContent-Length: {}\r\n\r\n",
      plan.path.empty() ? "/" : plan.path, plan.authority, bytes);
  body.head.append(bytes, 'x');
  payload.bodies_.push_back(std::move(body));
  return payload;
}

std::vector<Rows> random_inputs(const ModelInfo& model, RowRange rows, std::uint64_t seed) {
  std::size_t row_bytes_max = 1;
  for (const TensorInfo& input : model.inputs) {
    row_bytes_max = std::max(
        row_bytes_max, input.row_elements() * std::max<std::size_t>(proto::traits(input.datatype).item_bytes, 12));
  }
  const std::size_t count =
      std::max<std::size_t>(rows.max, std::clamp<std::size_t>(random_bytes_max / row_bytes_max, 1, random_rows_max));
  std::vector<Rows> inputs;
  for (const TensorInfo& input : model.inputs) inputs.push_back(random_rows(input, count, seed++));
  return inputs;
}

}  // namespace headrace::load
