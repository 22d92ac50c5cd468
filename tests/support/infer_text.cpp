#include "tests/support/infer_text.hpp"

#include <fmt/format.h>

#include <cstring>

namespace headrace::support {

namespace {

std::string head_of(const InferCase& what, std::size_t rows, const std::string& tensor, const std::string& parameters) {
  std::string text = "{";
  if (!what.id.empty()) text += fmt::format("\"id\":\"{}\",", what.id);
  text += fmt::format("\"inputs\":[{{\"name\":\"{}\",\"datatype\":\"FP32\",\"shape\":[{},{}],{}}}]", what.input, rows,
                      what.columns, tensor);
  if (!parameters.empty()) text += ",\"parameters\":{" + parameters + "}";
  return text + "}";
}

std::string infer_path(const InferCase& what) { return fmt::format("/v2/models/{}/infer", what.model); }

}  // namespace

std::string binary_infer_text(const InferCase& what, std::span<const float> values) {
  std::string parameters = "\"binary_data_output\":true";
  if (!what.parameters.empty()) parameters += "," + std::string(what.parameters);
  const auto tensor = fmt::format("\"parameters\":{{\"binary_data_size\":{}}}", values.size_bytes());
  std::string body = head_of(what, values.size() / what.columns, tensor, parameters);
  const auto header = fmt::format("Inference-Header-Content-Length: {}\r\n", body.size());
  body.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return post_text(infer_path(what), body, header);
}

std::string json_infer_text(const InferCase& what, std::span<const float> values) {
  std::string data = "\"data\":[";
  for (const float value : values) data += fmt::format("{},", value);
  data.back() = ']';
  return post_text(infer_path(what), head_of(what, values.size() / what.columns, data, std::string(what.parameters)));
}

std::vector<float> answered_floats(const HttpAnswer& answer) {
  std::vector<float> values;
  if (answer.status != 200) return values;
  if (const auto length = answer.headers.find("inference-header-content-length"); length != answer.headers.end()) {
    const auto head = std::stoul(length->second);
    if (head > answer.body.size()) return values;
    values.resize((answer.body.size() - head) / sizeof(float));
    std::memcpy(values.data(), answer.body.data() + head, values.size() * sizeof(float));
    return values;
  }
  auto at = answer.body.find("\"data\":[");
  if (at == std::string::npos) return values;
  at += 8;
  while (at < answer.body.size() && answer.body[at] != ']') {
    std::size_t used = 0;
    values.push_back(std::stof(answer.body.substr(at, 40), &used));
    at += used;
    if (at < answer.body.size() && answer.body[at] == ',') ++at;
  }
  return values;
}

std::string answered_id(const HttpAnswer& answer) {
  const auto at = answer.body.find("{\"id\":\"");
  if (at != 0) return {};
  return answer.body.substr(7, answer.body.find('"', 7) - 7);
}

}  // namespace headrace::support
