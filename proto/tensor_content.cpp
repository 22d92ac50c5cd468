#include "proto/tensor_content.hpp"

#include <cstring>
#include <limits>

#include "proto/message.hpp"

namespace headrace::proto {
namespace {

std::uint64_t element_count(const InputTensor& input) {
  return static_cast<std::uint64_t>(input.shape.elements().value_or(0));
}

Result<void> check_bytes_elements(const InputTensor& input) {
  const auto expected = element_count(input);
  auto rest = input.bytes;
  std::uint64_t count = 0;
  for (; !rest.empty(); ++count) {
    std::uint32_t length = 0;
    const bool has_length = rest.size() >= sizeof(length);
    if (has_length) std::memcpy(&length, rest.data(), sizeof(length));
    if (!has_length || rest.size() - sizeof(length) < length) {
      return invalid(concat({where(input, "data"), ": element ", Decimal(count).view(), " of BYTES: expected ",
                             has_length ? Decimal(length).view() : "4 length", " bytes, got ",
                             Decimal(rest.size() - (has_length ? sizeof(length) : 0)).view()}));
    }
    rest = rest.subspan(sizeof(length) + length);
  }
  if (count == expected) return {};
  return invalid(concat({where(input, "data"), ": expected ", Decimal(expected).view(), " elements for shape ",
                         input.shape.to_string(), ", got ", Decimal(count).view()}));
}

}  // namespace

std::string where(const InputTensor& input, std::string_view field) {
  auto place = Place{.list = "inputs", .index = input.index, .field = field}.to_string();
  return input.name.empty() ? place : concat({place, " ('", excerpt(input.name), "')"});
}

Result<std::uint64_t> content_bytes(const InputTensor& input) {
  const auto elements = element_count(input);
  const auto item_bytes = traits(input.datatype).item_bytes;
  constexpr auto bytes_max = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (item_bytes == 0 || elements <= bytes_max / item_bytes) return elements * item_bytes;
  return invalid(concat({where(input, "shape"), ": expected a size that fits 64 bits, got ", input.shape.to_string(),
                         " of ", traits(input.datatype).name}));
}

Result<void> check_blob(const InputTensor& input) {
  if (input.datatype == Datatype::bytes) return check_bytes_elements(input);
  const auto expected = content_bytes(input);
  if (!expected) return tl::unexpected(expected.error());
  if (*expected == input.bytes.size()) return {};
  return invalid(concat({where(input, "parameters.binary_data_size"), ": expected ", Decimal(*expected).view(), " for ",
                         traits(input.datatype).name, " of shape ", input.shape.to_string(), ", got ",
                         Decimal(input.bytes.size()).view()}));
}

Result<void> check_walk(const InputTensor& input, const ArrayWalk& walk, std::uint64_t elements_expected,
                        std::string_view element_expected) {
  const auto fault = [&](std::string_view text) { return invalid(concat({where(input, "data"), ": ", text})); };
  const auto got = [&] {
    const auto* end = input.json.data() + input.json.size();
    return walk.at == end ? std::string("the end") : excerpt(token_at(walk.at, end));
  };
  switch (walk.fault) {
    case ArrayWalk::Fault::none: break;
    case ArrayWalk::Fault::malformed:
      return fault(concat({"malformed JSON behind ", Decimal(walk.elements).view(), " elements, got ", got()}));
    case ArrayWalk::Fault::too_deep:
      return fault(concat({"expected at most ", Decimal(json_depth_max).view(), " nested brackets"}));
    case ArrayWalk::Fault::element:
      return fault(concat({"element ", Decimal(walk.elements).view(), ": expected ", element_expected, " (",
                           traits(input.datatype).name, "), got ", got()}));
  }
  if (walk.elements == elements_expected) return {};
  return fault(concat({"expected ", Decimal(elements_expected).view(), " elements for shape ", input.shape.to_string(),
                       ", got ", Decimal(walk.elements).view()}));
}

Result<void> check_json_length(const InputTensor& input) {
  const auto elements = element_count(input);
  // "[]" holds none, "[1]" one, "[1,2]" two, …
  if (elements <= (input.json.size() - 1) / 2) return {};
  const auto scan = [](const char* p, const char* end, std::size_t) noexcept { return scan_scalar(p, end); };
  return check_walk(input, walk_array(input.json, scan), elements, "a JSON value");
}

}  // namespace headrace::proto
