#include "load/answer_outputs.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <optional>

#include "proto/infer_request.hpp"

namespace headrace::load {
namespace {

namespace ondemand = simdjson::ondemand;

struct RawOutput {
  proto::InputTensor tensor;  // an answer's output has the form of a request's input
  bool named = false;
  bool typed = false;
  bool shaped = false;
  std::optional<std::uint64_t> binary_bytes;
};

std::string wrong_field(std::size_t output, std::string_view why) {
  return fmt::format("the answer's outputs[{}]: {}", output, why);
}

bool read_shape(ondemand::value& value, proto::Shape& shape) {
  ondemand::array dims;
  if (value.get_array().get(dims) != simdjson::SUCCESS) return false;
  for (auto item : dims) {
    std::int64_t dim = 0;
    if (item.get_int64().get(dim) != simdjson::SUCCESS || dim < 0 || !shape.push_back(dim)) return false;
  }
  return shape.elements().has_value();
}

/// Nothing when the field is right or of no interest, else what is wrong with it.
std::optional<std::string_view> read_field(std::string_view key, ondemand::value value, RawOutput& output) {
  if (key == "name") {
    std::string_view name;
    if (value.get_string().get(name) != simdjson::SUCCESS) return "'name' is no string";
    output.tensor.name = name;
    output.named = true;
  } else if (key == "datatype") {
    std::string_view name;
    if (value.get_string().get(name) != simdjson::SUCCESS) return "'datatype' is no string";
    const auto datatype = proto::parse_datatype(name);
    if (!datatype) return "'datatype' is unknown";
    output.tensor.datatype = *datatype;
    output.typed = true;
  } else if (key == "shape") {
    if (!read_shape(value, output.tensor.shape)) return "'shape' is no array of sizes";
    output.shaped = true;
  } else if (key == "parameters") {
    ondemand::object parameters;
    if (value.get_object().get(parameters) != simdjson::SUCCESS) return "'parameters' is no object";
    std::uint64_t bytes = 0;
    const auto error = parameters["binary_data_size"].get_uint64().get(bytes);
    if (error == simdjson::SUCCESS) {
      output.binary_bytes = bytes;
    } else if (error != simdjson::NO_SUCH_FIELD) {
      return "'binary_data_size' is no unsigned integer";
    }
  } else if (key == "data") {
    ondemand::array data;
    if (value.get_array().get(data) != simdjson::SUCCESS) return "'data' is no array";
    if (data.raw_json().get(output.tensor.json) != simdjson::SUCCESS) return "'data' is no array";
  }
  return std::nullopt;
}

}  // namespace

struct AnswerOutputs::Impl {
  ondemand::parser parser;
  std::vector<RawOutput> raw;
  std::vector<std::vector<std::byte>> decoded;

  Result<void> read_outputs(ondemand::array outputs);
  Result<void> read_document(ondemand::document& document, std::string& id);
  Result<void> decode(std::size_t i, std::span<const std::byte>& blobs, AnswerOutput& output);
};

Result<void> AnswerOutputs::Impl::read_outputs(ondemand::array outputs) {
  for (auto item : outputs) {
    ondemand::object object;
    if (item.get_object().get(object) != simdjson::SUCCESS) return fail(wrong_field(raw.size(), "no object"));
    RawOutput output;
    for (auto field : object) {
      std::string_view key;
      ondemand::value value;
      if (field.unescaped_key().get(key) != simdjson::SUCCESS || field.value().get(value) != simdjson::SUCCESS) {
        return fail(wrong_field(raw.size(), "malformed JSON"));
      }
      if (const auto why = read_field(key, value, output)) return fail(wrong_field(raw.size(), *why));
    }
    if (!output.named || !output.typed || !output.shaped) {
      return fail(wrong_field(raw.size(), "'name', 'datatype' or 'shape' is missing"));
    }
    raw.push_back(std::move(output));
  }
  return {};
}

Result<void> AnswerOutputs::Impl::read_document(ondemand::document& document, std::string& id) {
  ondemand::object root;
  if (document.get_object().get(root) != simdjson::SUCCESS) return fail("the answer is no JSON object");
  bool has_outputs = false;
  for (auto field : root) {
    std::string_view key;
    ondemand::value value;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS || field.value().get(value) != simdjson::SUCCESS) {
      return fail("the answer is malformed JSON");
    }
    if (key == "id") {
      std::string_view text;
      if (value.get_string().get(text) != simdjson::SUCCESS) return fail("the answer's 'id' is no string");
      id = text;
    } else if (key == "outputs") {
      ondemand::array outputs;
      if (value.get_array().get(outputs) != simdjson::SUCCESS) return fail("the answer's 'outputs' is no array");
      if (auto read = read_outputs(outputs); !read) return read;
      has_outputs = true;
    }
  }
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) {
    return fail("something follows the answer's JSON object");
  }
  if (!has_outputs) return fail("the answer has no 'outputs'");
  return {};
}

Result<void> AnswerOutputs::Impl::decode(std::size_t i, std::span<const std::byte>& blobs, AnswerOutput& output) {
  const RawOutput& source = raw[i];
  output.name = source.tensor.name;
  output.datatype = source.tensor.datatype;
  output.shape = source.tensor.shape;
  const std::size_t item_bytes = proto::traits(output.datatype).item_bytes;
  const auto elements = static_cast<std::size_t>(*output.shape.elements());
  if (source.binary_bytes) {
    const bool fits =
        item_bytes == 0 || (elements <= *source.binary_bytes && elements * item_bytes == *source.binary_bytes);
    if (!fits) return fail(wrong_field(i, "'binary_data_size' does not fit shape and datatype"));
    if (*source.binary_bytes > blobs.size()) return fail(wrong_field(i, "its binary data is cut short"));
    output.bytes = blobs.first(*source.binary_bytes);
    blobs = blobs.subspan(*source.binary_bytes);
    return {};
  }
  if (source.tensor.json.empty()) return fail(wrong_field(i, "neither 'data' nor 'binary_data_size'"));
  if (item_bytes == 0) {
    output.bytes = std::as_bytes(std::span(source.tensor.json));
    return {};
  }
  // A shape that no text of this length can fill is refused before memory is taken for it.
  if (elements > source.tensor.json.size()) return fail(wrong_field(i, "'data' does not fit 'shape'"));
  decoded[i].resize(elements * item_bytes);
  if (const auto done = proto::decode_json_data(source.tensor, decoded[i]); !done) {
    return fail(wrong_field(i, done.error().message));
  }
  output.bytes = decoded[i];
  return {};
}

AnswerOutputs::AnswerOutputs() : impl_(std::make_unique<Impl>()) {}
AnswerOutputs::~AnswerOutputs() = default;

Result<void> AnswerOutputs::parse(const Answer& answer, std::string_view text) {
  id_.clear();
  impl_->raw.clear();
  const std::size_t json_bytes = answer.json_bytes == Answer::no_json_length ? text.size() : answer.json_bytes;
  if (json_bytes > text.size()) return fail("Inference-Header-Content-Length is larger than the answer's body");
  const std::string_view json = text.substr(0, json_bytes);
  ondemand::document document;
  const simdjson::padded_string_view padded(json.data(), json.size(), json.size() + simdjson::SIMDJSON_PADDING);
  if (impl_->parser.iterate(padded).get(document) != simdjson::SUCCESS) return fail("the answer is no JSON document");
  if (auto read = impl_->read_document(document, id_); !read) return read;

  items_.resize(impl_->raw.size());
  if (impl_->decoded.size() < items_.size()) impl_->decoded.resize(items_.size());
  auto blobs = std::as_bytes(std::span(text)).subspan(json_bytes);
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (auto done = impl_->decode(i, blobs, items_[i]); !done) return done;
  }
  if (!blobs.empty()) return fail(fmt::format("{} bytes follow the answer's outputs", blobs.size()));
  return {};
}

}  // namespace headrace::load
