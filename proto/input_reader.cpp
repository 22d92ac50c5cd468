#include "proto/input_reader.hpp"

#include "proto/tensor_content.hpp"

namespace headrace::proto::head {
namespace {

enum Key : std::size_t { name_key, datatype_key, shape_key, data_key, parameters_key };
constexpr std::array<std::string_view, 5> keys{"name", "datatype", "shape", "data", "parameters"};

std::string known_datatypes() {
  std::string text = "one of";
  for (const auto& row : datatypes()) {
    text += ' ';
    text += row.name;
  }
  return text;
}

}  // namespace

// The place of a field, made into text only for a message.
auto InputReader::at(std::string_view name) const {
  return [this, name] { return where(input_, name); };
}

InputReader::InputReader(InputTensor& input, std::string_view text) noexcept
    : input_(input), text_(text), keys_(keys) {}

Result<void> InputReader::read(ondemand::value value) {
  const auto object = read_object(value, at(""));
  if (!object) return tl::unexpected(object.error());
  auto fields = each_field(*object, text_, [this](auto key, auto inner) { return field(key, inner); });
  return fields ? finish() : fields;
}

Result<void> InputReader::field(std::string_view key, ondemand::value value) {
  std::size_t index = 0;
  if (!keys_.take(key, index)) return given_twice(where(input_, key));
  switch (index) {
    case name_key: return store(read_string(value, at("name")), input_.name);
    case datatype_key: return datatype(value);
    case shape_key: return shape(value);
    case data_key: return data(value);
    case parameters_key: {
      const auto object = read_object(value, at("parameters"));
      if (!object) return tl::unexpected(object.error());
      return each_field(*object, text_, [this](auto name, auto inner) { return parameter(name, inner); });
    }
    default: return skip(value);
  }
}

Result<void> InputReader::datatype(ondemand::value value) {
  const auto name = read_string(value, at("datatype"));
  if (!name) return tl::unexpected(name.error());
  const auto datatype = parse_datatype(*name);
  if (!datatype) return expected_here(where(input_, "datatype"), known_datatypes(), concat({"'", excerpt(*name), "'"}));
  input_.datatype = *datatype;
  return {};
}

Result<void> InputReader::shape(ondemand::value value) {
  const auto array = read_array(value, at("shape"));
  if (!array) return tl::unexpected(array.error());
  auto dims = each_element(*array, text_, [this](std::size_t, auto inner) { return dimension(inner); });
  if (!dims || input_.shape.elements()) return dims;
  return invalid(
      concat({where(input_, "shape"), ": expected at most 2^63-1 elements, got ", input_.shape.to_string()}));
}

Result<void> InputReader::dimension(ondemand::value value) {
  constexpr auto dim_max = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const auto dim = read_unsigned(value, at("shape"), dim_max);
  if (!dim) return tl::unexpected(dim.error());
  if (input_.shape.push_back(static_cast<std::int64_t>(*dim))) return {};
  return invalid(concat(
      {where(input_, "shape"), ": expected at most ", Decimal(tensor_rank_max).view(), " dimensions, got more"}));
}

Result<void> InputReader::data(ondemand::value value) {
  const std::string_view raw = value.raw_json_token();
  if (!raw.starts_with('[')) return expected_here(where(input_, "data"), "an array", raw);
  return store(raw_text(value), input_.json);
}

Result<void> InputReader::parameter(std::string_view key, ondemand::value value) {
  if (key.starts_with("shared_memory_")) return no_shared_memory(where(input_, concat({"parameters.", excerpt(key)})));
  if (key != "binary_data_size") return skip(value);
  if (input_.binary) return given_twice(where(input_, "parameters.binary_data_size"));
  input_.binary = true;
  return store(read_unsigned(value, at("parameters.binary_data_size")), blob_bytes_);
}

Result<void> InputReader::finish() {
  for (const auto key : {name_key, datatype_key, shape_key}) {
    if (!keys_.has(key)) return missing(where(input_, keys[key]));
  }
  if (keys_.has(data_key) == input_.binary) {
    return invalid(concat({where(input_, ""), ": expected either data or parameters.binary_data_size, got ",
                           input_.binary ? "both" : "neither"}));
  }
  if (!input_.binary) {
    const auto bytes = content_bytes(input_);
    return bytes ? check_json_length(input_) : tl::unexpected(bytes.error());
  }
  return {};
}

}  // namespace headrace::proto::head
