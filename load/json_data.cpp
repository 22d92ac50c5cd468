#include "load/json_data.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <iterator>

#include "proto/float16.hpp"
#include "proto/json_writer.hpp"

namespace headrace::load {
namespace {

template <class T>
T take(const std::byte*& at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  at += sizeof value;
  return value;
}

template <class T>
void append_number(std::string& text, T value) {
  fmt::format_to(std::back_inserter(text), "{}", value);
}

const std::byte* append_element(std::string& text, proto::Datatype datatype, const std::byte* at) {
  using proto::Datatype;
  switch (datatype) {
    case Datatype::boolean: text += take<std::uint8_t>(at) != 0 ? "true" : "false"; break;
    case Datatype::uint8: append_number(text, unsigned{take<std::uint8_t>(at)}); break;
    case Datatype::int8: append_number(text, int{take<std::int8_t>(at)}); break;
    case Datatype::uint16: append_number(text, take<std::uint16_t>(at)); break;
    case Datatype::int16: append_number(text, take<std::int16_t>(at)); break;
    case Datatype::uint32: append_number(text, take<std::uint32_t>(at)); break;
    case Datatype::int32: append_number(text, take<std::int32_t>(at)); break;
    case Datatype::uint64: append_number(text, take<std::uint64_t>(at)); break;
    case Datatype::int64: append_number(text, take<std::int64_t>(at)); break;
    case Datatype::fp16: append_number(text, proto::Fp16::widen(take<std::uint16_t>(at))); break;
    case Datatype::bf16: append_number(text, proto::Bf16::widen(take<std::uint16_t>(at))); break;
    case Datatype::fp32: append_number(text, take<float>(at)); break;
    case Datatype::fp64: append_number(text, take<double>(at)); break;
    case Datatype::bytes: {
      const auto bytes = take<std::uint32_t>(at);
      proto::append_json_string(text, {reinterpret_cast<const char*>(at), bytes});
      at += bytes;
      break;
    }
  }
  return at;
}

}  // namespace

void append_json_data(std::string& text, proto::Datatype datatype, std::span<const std::byte> bytes) {
  text += '[';
  const std::byte* at = bytes.data();
  const std::byte* const end = at + bytes.size();
  while (at != end) {
    if (at != bytes.data()) text += ',';
    at = append_element(text, datatype, at);
  }
  text += ']';
}

}  // namespace headrace::load
