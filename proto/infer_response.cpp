#include "proto/infer_response.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "proto/float16.hpp"
#include "proto/json_writer.hpp"
#include "proto/message.hpp"

namespace headrace::proto {
namespace {

template <class Element>
Element load(std::span<const std::byte> bytes, std::size_t i) noexcept {
  Element element;
  std::memcpy(&element, bytes.data() + i * sizeof(Element), sizeof(Element));
  return element;
}

// Writes one element at `to` (room for json_element_bytes_max) and gives its end; nullptr when JSON cannot carry it.
template <class Number>
char* write_number(char* to, Number value) noexcept {
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) return nullptr;
    // "-0" is an integer to many readers, which lose its sign.
    if (value == 0 && std::signbit(value)) return std::strcpy(to, "-0.0") + 4;
  }
  return std::to_chars(to, to + 32, value).ptr;
}

char* write_boolean(char* to, std::uint8_t value) noexcept {
  const std::string_view text = value == 0 ? "false" : "true";
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

template <class Format>
char* write_float16(char* to, std::uint16_t bits) noexcept {
  return write_number(to, Format::widen(bits));
}

// "1,2,3", by way of a small buffer, so that `text` grows no more than it must. False as soon as JSON cannot carry one.
template <class Element>
bool append_elements(std::string& text, std::span<const std::byte> bytes, char* (*write)(char*, Element) noexcept) {
  std::array<char, 4096> buffer;
  constexpr std::size_t room = 64;
  char* to = buffer.data();
  const auto count = bytes.size() / sizeof(Element);
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) *to++ = ',';
    to = write(to, load<Element>(bytes, i));
    if (to == nullptr) return false;
    if (to > buffer.data() + buffer.size() - room) {
      text.append(buffer.data(), to);
      to = buffer.data();
    }
  }
  text.append(buffer.data(), to);
  return true;
}

bool append_strings(std::string& text, std::span<const std::byte> bytes) {
  for (bool first = true; bytes.size() >= sizeof(std::uint32_t); first = false) {
    const auto length = load<std::uint32_t>(bytes, 0);
    bytes = bytes.subspan(sizeof(length));
    if (length > bytes.size()) return false;
    const std::string_view element(reinterpret_cast<const char*>(bytes.data()), length);
    if (!is_valid_utf8(element)) return false;
    if (!first) text += ',';
    append_json_string(text, element);
    bytes = bytes.subspan(length);
  }
  return bytes.empty();
}

bool append_data(std::string& text, const OutputTensor& output) {
  const auto bytes = output.bytes;
  switch (output.datatype) {
    case Datatype::boolean: return append_elements<std::uint8_t>(text, bytes, write_boolean);
    case Datatype::uint8: return append_elements<std::uint8_t>(text, bytes, write_number);
    case Datatype::uint16: return append_elements<std::uint16_t>(text, bytes, write_number);
    case Datatype::uint32: return append_elements<std::uint32_t>(text, bytes, write_number);
    case Datatype::uint64: return append_elements<std::uint64_t>(text, bytes, write_number);
    case Datatype::int8: return append_elements<std::int8_t>(text, bytes, write_number);
    case Datatype::int16: return append_elements<std::int16_t>(text, bytes, write_number);
    case Datatype::int32: return append_elements<std::int32_t>(text, bytes, write_number);
    case Datatype::int64: return append_elements<std::int64_t>(text, bytes, write_number);
    case Datatype::fp16: return append_elements<std::uint16_t>(text, bytes, write_float16<Fp16>);
    case Datatype::bf16: return append_elements<std::uint16_t>(text, bytes, write_float16<Bf16>);
    case Datatype::fp32: return append_elements<float>(text, bytes, write_number);
    case Datatype::fp64: return append_elements<double>(text, bytes, write_number);
    case Datatype::bytes: return append_strings(text, bytes);
  }
  return false;
}

bool append_output(JsonWriter& json, const OutputTensor& output) {
  json.begin_object();
  json.string("name", output.name).string("datatype", traits(output.datatype).name);
  json.key("shape").begin_array();
  for (const auto dim : output.shape.dims()) json.integer(dim);
  json.end_array();
  if (output.binary) {
    json.key("parameters").begin_object().unsigned_integer("binary_data_size", output.bytes.size()).end_object();
  } else {
    json.key("data").begin_array();
    if (!append_data(json.raw_value(), output)) return false;
    json.end_array();
  }
  json.end_object();
  return true;
}

}  // namespace

std::size_t InferResponse::blob_bytes() const noexcept {
  std::size_t sum = 0;
  for (const auto& output : outputs) sum += output.binary ? output.bytes.size() : 0;
  return sum;
}

Result<void> encode_infer_response(const InferResponse& response, std::string& text) {
  const auto size_before = text.size();
  JsonWriter json(text);
  json.begin_object();
  if (!response.id.empty()) json.string("id", response.id);
  json.string("model_name", response.model_name).string("model_version", response.model_version);
  json.key("outputs").begin_array();
  for (const auto& output : response.outputs) {
    if (append_output(json, output)) continue;
    text.resize(size_before);
    const auto* what = output.datatype == Datatype::bytes ? "text of valid UTF-8" : "finite numbers";
    return fail(ErrorCode::not_representable,
                concat({"output '", excerpt(output.name), "': JSON can carry ", what,
                        " only, got something else; ask for this output as binary (parameters.binary_data: true)"}));
  }
  json.end_array().end_object();
  return {};
}

std::size_t json_element_bytes_max(Datatype datatype) noexcept {
  switch (datatype) {
    case Datatype::boolean: return std::string_view("false,").size();
    case Datatype::uint8: return std::string_view("255,").size();
    case Datatype::int8: return std::string_view("-128,").size();
    case Datatype::uint16: return std::string_view("65535,").size();
    case Datatype::int16: return std::string_view("-32768,").size();
    case Datatype::uint32: return std::string_view("4294967295,").size();
    case Datatype::int32: return std::string_view("-2147483648,").size();
    case Datatype::uint64: return std::string_view("18446744073709551615,").size();
    case Datatype::int64: return std::string_view("-9223372036854775808,").size();
    case Datatype::fp16:
    case Datatype::bf16:
    case Datatype::fp32: return std::string_view("-1.17549435e-38,").size();
    case Datatype::fp64: return std::string_view("-2.2250738585072014e-308,").size();
    case Datatype::bytes: break;
  }
  return std::string_view("\\u001f").size();
}

}  // namespace headrace::proto
