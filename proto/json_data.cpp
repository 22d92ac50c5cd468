#include <cassert>
#include <cstring>

#include "proto/array_walk.hpp"
#include "proto/infer_request.hpp"
#include "proto/message.hpp"
#include "proto/number_text.hpp"
#include "proto/tensor_content.hpp"

namespace headrace::proto {
namespace {

std::string_view expectation(Datatype datatype) noexcept {
  switch (datatype) {
    case Datatype::boolean: return "true or false";
    case Datatype::uint8: return "an integer from 0 to 255";
    case Datatype::uint16: return "an integer from 0 to 65535";
    case Datatype::uint32: return "an integer from 0 to 4294967295";
    case Datatype::uint64: return "an integer from 0 to 18446744073709551615";
    case Datatype::int8: return "an integer from -128 to 127";
    case Datatype::int16: return "an integer from -32768 to 32767";
    case Datatype::int32: return "an integer from -2147483648 to 2147483647";
    case Datatype::int64: return "an integer from -9223372036854775808 to 9223372036854775807";
    case Datatype::fp16: return "a number within ±65504";
    case Datatype::bf16: return "a number within ±3.3895314e38";
    case Datatype::fp32: return "a number within ±3.4028235e38";
    case Datatype::fp64: return "a number within ±1.7976931348623157e308";
    case Datatype::bytes: break;
  }
  return "a string";
}

template <class Element>
Result<void> decode_as(const InputTensor& input, std::span<std::byte> destination,
                       const char* (*parse)(const char*, const char*, Element&) noexcept) {
  const auto expected = destination.size() / sizeof(Element);
  const auto walk = walk_array(input.json, [&](const char* p, const char* end, std::size_t index) noexcept {
    Element element{};
    const auto* stop = parse(p, end, element);
    if (stop != nullptr && index < expected) {
      std::memcpy(destination.data() + index * sizeof(Element), &element, sizeof(Element));
    }
    return stop;
  });
  return check_walk(input, walk, expected, expectation(input.datatype));
}

}  // namespace

Result<void> decode_json_data(const InputTensor& input, std::span<std::byte> destination) {
  const auto to = destination;
  switch (input.datatype) {
    case Datatype::boolean: return decode_as<std::uint8_t>(input, to, parse_boolean);
    case Datatype::uint8: return decode_as<std::uint8_t>(input, to, parse_integer);
    case Datatype::uint16: return decode_as<std::uint16_t>(input, to, parse_integer);
    case Datatype::uint32: return decode_as<std::uint32_t>(input, to, parse_integer);
    case Datatype::uint64: return decode_as<std::uint64_t>(input, to, parse_integer);
    case Datatype::int8: return decode_as<std::int8_t>(input, to, parse_integer);
    case Datatype::int16: return decode_as<std::int16_t>(input, to, parse_integer);
    case Datatype::int32: return decode_as<std::int32_t>(input, to, parse_integer);
    case Datatype::int64: return decode_as<std::int64_t>(input, to, parse_integer);
    case Datatype::fp16: return decode_as<std::uint16_t>(input, to, parse_float16<Fp16>);
    case Datatype::bf16: return decode_as<std::uint16_t>(input, to, parse_float16<Bf16>);
    case Datatype::fp32: return decode_as<float>(input, to, parse_float);
    case Datatype::fp64: return decode_as<double>(input, to, parse_float);
    case Datatype::bytes: break;
  }
  return invalid(concat({where(input, "data"), ": BYTES are taken as binary data only (binary_data_size), got JSON"}));
}

}  // namespace headrace::proto
