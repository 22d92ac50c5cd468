#include "proto/head_reader.hpp"

#include "proto/head_fields.hpp"
#include "proto/input_reader.hpp"
#include "proto/limits.hpp"

namespace headrace::proto {

using namespace head;

static_assert(body_padding_bytes >= simdjson::SIMDJSON_PADDING);

struct HeadReader::Library {
  Result<void> read(std::string_view text, InferRequest& request, std::vector<std::uint64_t>& blob_bytes);

  ondemand::parser parser;
};

namespace {

template <class Tensor>
Result<void> refuse_same_name(const std::vector<Tensor>& tensors, const Place& place) {
  const auto& last = tensors.back();
  if (&*std::ranges::find(tensors, last.name, &Tensor::name) == &last) return {};
  return invalid(
      concat({place.to_string(), ".name: expected a name of its own, got '", excerpt(last.name), "' again"}));
}

tl::unexpected<Error> too_many(std::string_view list) {
  return invalid(concat({list, ": expected at most ", Decimal(tensors_per_request_max).view(), ", got more"}));
}

// One object of `outputs`.
class OutputReader {
 public:
  OutputReader(RequestedOutput& output, std::size_t index, std::string_view text) noexcept
      : output_(output), index_(index), text_(text), keys_(names) {}

  auto at(std::string_view field, std::string_view tail = {}) const {
    return
        [place = Place{.list = "outputs", .index = index_, .field = field, .tail = tail}] { return place.to_string(); };
  }

  Result<void> read(ondemand::value value) {
    const auto object = read_object(value, at(""));
    if (!object) return tl::unexpected(object.error());
    auto fields = each_field(*object, text_, [this](auto key, auto inner) { return field(key, inner); });
    if (fields && !keys_.has(0)) return missing(at("name")());
    return fields;
  }

 private:
  static constexpr std::array<std::string_view, 2> names{"name", "parameters"};

  Result<void> field(std::string_view key, ondemand::value value) {
    std::size_t index = 0;
    if (!keys_.take(key, index)) return given_twice(at(key)());
    if (index == 0) return store(read_string(value, at("name")), output_.name);
    if (index != 1) return skip(value);
    const auto object = read_object(value, at("parameters"));
    if (!object) return tl::unexpected(object.error());
    return each_field(*object, text_, [this](auto name, auto inner) { return parameter(name, inner); });
  }

  Result<void> parameter(std::string_view key, ondemand::value value) {
    const auto place = at("parameters", key);
    if (key.starts_with("shared_memory_")) return no_shared_memory(place());
    if (key == "binary_data") return store(read_boolean(value, place), output_.binary);
    if (key != "classification") return skip(value);
    const auto count = read_unsigned(value, place, std::numeric_limits<std::uint32_t>::max());
    if (!count) return tl::unexpected(count.error());
    if (*count != 0) output_.classification = static_cast<std::uint32_t>(*count);
    return {};
  }

  RequestedOutput& output_;
  std::size_t index_;
  std::string_view text_;
  Keys<2> keys_;
};

// The object at the top.
class RequestReader {
 public:
  static auto at(std::string_view field, std::string_view tail = {}) {
    return [place = Place{.field = field, .tail = tail}] { return place.to_string(); };
  }

  RequestReader(std::string_view text, InferRequest& request, std::vector<std::uint64_t>& blob_bytes) noexcept
      : text_(text), request_(request), blob_bytes_(blob_bytes), keys_(names) {}

  Result<void> read(ondemand::object object) {
    auto fields = each_field(object, text_, [this](auto key, auto value) { return field(key, value); });
    if (fields && !keys_.has(inputs_key)) return missing("inputs");
    return fields;
  }

 private:
  enum Key : std::size_t { id_key, parameters_key, inputs_key, outputs_key };
  static constexpr std::array<std::string_view, 4> names{"id", "parameters", "inputs", "outputs"};

  Result<void> field(std::string_view key, ondemand::value value) {
    std::size_t index = 0;
    if (!keys_.take(key, index)) return given_twice(key);
    switch (index) {
      case id_key: return store(read_string(value, at("id")), request_.id);
      case parameters_key: return parameters(value);
      case inputs_key: return each_tensor(value, "inputs", [this](auto i, auto inner) { return input(i, inner); });
      case outputs_key: return each_tensor(value, "outputs", [this](auto i, auto inner) { return output(i, inner); });
      default: return skip(value);
    }
  }

  Result<void> parameters(ondemand::value value) {
    const auto object = read_object(value, at("parameters"));
    if (!object) return tl::unexpected(object.error());
    return each_field(*object, text_, [this](auto key, auto inner) { return parameter(key, inner); });
  }

  Result<void> parameter(std::string_view key, ondemand::value value) {
    const auto place = at("parameters", key);
    if (key == "binary_data_output") return store(read_boolean(value, place), request_.binary_data_output);
    if (key == "priority") return store(read_unsigned(value, place), request_.priority);
    if (key == "timeout") return store(read_unsigned(value, place), request_.timeout_us);
    if (key.starts_with("sequence_")) return invalid(concat({place(), ": sequences are not supported"}));
    if (key.starts_with("triton_")) return invalid(concat({place(), ": names with triton_ are reserved"}));
    const std::string_view raw = value.raw_json_token();
    if (raw.starts_with('[') || raw.starts_with('{') || raw.starts_with('n')) {
      return expected_here(place(), "a string, a number or a boolean", raw);
    }
    return skip(value);
  }

  template <class Handler>
  Result<void> each_tensor(ondemand::value value, std::string_view list, const Handler& handle) {
    const auto array = read_array(value, at(list));
    if (!array) return tl::unexpected(array.error());
    return each_element(*array, text_, [&](std::size_t index, ondemand::value inner) -> Result<void> {
      return index < tensors_per_request_max ? handle(index, inner) : too_many(list);
    });
  }

  Result<void> input(std::size_t index, ondemand::value value) {
    auto& tensor = request_.inputs.emplace_back();
    tensor.index = index;
    InputReader reader(tensor, text_);
    auto read = reader.read(value);
    if (!read) return read;
    blob_bytes_.push_back(reader.blob_bytes());
    return refuse_same_name(request_.inputs, {.list = "inputs", .index = index});
  }

  Result<void> output(std::size_t index, ondemand::value value) {
    auto read = OutputReader(request_.outputs.emplace_back(), index, text_).read(value);
    return read ? refuse_same_name(request_.outputs, {.list = "outputs", .index = index}) : read;
  }

  std::string_view text_;
  InferRequest& request_;
  std::vector<std::uint64_t>& blob_bytes_;
  Keys<4> keys_;
};

// Where and why the text is not JSON; only looked for after the library refused it.
tl::unexpected<Error> describe_malformed(std::string_view text) {
  const auto check = check_json(text);
  switch (check.fault) {
    case JsonCheck::Fault::too_deep:
      return invalid(concat({"body: expected at most ", Decimal(json_depth_max).view(), " nested brackets"}));
    case JsonCheck::Fault::malformed: break;
    case JsonCheck::Fault::none: return invalid("body: expected strings of valid Unicode");
  }
  const auto* at = text.data() + check.offset;
  const auto* end = text.data() + text.size();
  return invalid(concat({"body: malformed JSON at byte ", Decimal(check.offset).view(), ": got ",
                         at == end ? "the end" : excerpt(token_at(at, end), 32)}));
}

}  // namespace

Result<void> HeadReader::Library::read(std::string_view text, InferRequest& request,
                                       std::vector<std::uint64_t>& blob_bytes) {
  ondemand::document document;
  ondemand::object object;
  const simdjson::padded_string_view padded(text.data(), text.size(), text.size() + body_padding_bytes);
  auto error = parser.iterate(padded).get(document);
  if (error == simdjson::SUCCESS) error = document.get_object().get(object);
  switch (error) {
    case simdjson::SUCCESS: break;
    case simdjson::CAPACITY: return fail(ErrorCode::payload_too_large, "body: expected a JSON part of less than 4 GiB");
    case simdjson::MEMALLOC: return fail(ErrorCode::internal, "body: no memory to parse its JSON part");
    case simdjson::INCORRECT_TYPE: return invalid("body: expected a JSON object");
    default: return describe_malformed(text);
  }
  auto result = RequestReader(text, request, blob_bytes).read(object);
  if (!result) return is_malformed(result.error()) ? describe_malformed(text) : result;
  const bool at_end = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  return at_end ? result : describe_malformed(text);
}

HeadReader::HeadReader() : library_(std::make_unique<Library>()) {}
HeadReader::~HeadReader() = default;

Result<void> HeadReader::read(std::string_view text, InferRequest& request, std::vector<std::uint64_t>& blob_bytes) {
  auto result = library_->read(text, request, blob_bytes);
  if (library_->parser.capacity() > parser_kept_head_bytes_max) library_->parser = ondemand::parser();
  return result;
}

}  // namespace headrace::proto
