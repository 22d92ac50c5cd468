#include "service/models/safetensors.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "service/models/fault_text.hpp"
#include "service/models/mapped_file.hpp"

namespace headrace::models {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are used as they lie in the file");

constexpr std::size_t length_bytes = sizeof(std::uint64_t);
constexpr std::size_t tensor_alignment = 64;

struct alignas(tensor_alignment) Block {
  std::array<std::byte, tensor_alignment> bytes;
};

struct Dtype {
  std::string_view name;
  gpu::ElementType element;
};
constexpr std::array dtypes = {Dtype{"BOOL", gpu::ElementType::boolean}, Dtype{"U8", gpu::ElementType::u8},
                               Dtype{"U16", gpu::ElementType::u16},      Dtype{"U32", gpu::ElementType::u32},
                               Dtype{"U64", gpu::ElementType::u64},      Dtype{"I8", gpu::ElementType::i8},
                               Dtype{"I16", gpu::ElementType::i16},      Dtype{"I32", gpu::ElementType::i32},
                               Dtype{"I64", gpu::ElementType::i64},      Dtype{"F16", gpu::ElementType::f16},
                               Dtype{"BF16", gpu::ElementType::bf16},    Dtype{"F32", gpu::ElementType::f32},
                               Dtype{"F64", gpu::ElementType::f64}};

using Fault = tl::unexpected<std::string>;
template <class T>
using Checked = tl::expected<T, std::string>;

Fault fault(std::string_view where, std::string_view what) {
  std::string message = printable(where.substr(0, 255));
  message += ": ";
  message += what;
  return Fault(std::move(message));
}

Checked<gpu::ElementType> parse_dtype(const simdjson::dom::element& value) {
  std::string expected = "expected one of";
  std::string_view got;
  const bool text = value.get_string().get(got) == simdjson::SUCCESS;
  for (const Dtype& dtype : dtypes) {
    if (text && dtype.name == got) return dtype.element;
    expected.append(" ").append(dtype.name);
  }
  return Fault(expected + ", got " + (text ? in_quotes(got) : std::string("no text")));
}

Checked<std::vector<std::int64_t>> parse_shape(const simdjson::dom::element& value) {
  simdjson::dom::array list;
  if (value.get_array().get(list) != simdjson::SUCCESS) return Fault("expected a list of dimensions, got no list");
  std::vector<std::int64_t> shape;
  for (const simdjson::dom::element item : list) {
    std::int64_t dimension = 0;
    if (item.get_int64().get(dimension) != simdjson::SUCCESS || dimension < 0) {
      return Fault("expected whole numbers from 0, got " + in_quotes(simdjson::minify(item)));
    }
    if (shape.size() == safetensors_rank_max) {
      return Fault("expected at most " + std::to_string(safetensors_rank_max) + " dimensions, got more");
    }
    shape.push_back(dimension);
  }
  return shape;
}

Checked<std::pair<std::uint64_t, std::uint64_t>> parse_offsets(const simdjson::dom::element& value) {
  std::array<std::uint64_t, 2> offsets{};
  std::size_t count = 0;
  simdjson::dom::array list;
  bool good = value.get_array().get(list) == simdjson::SUCCESS;
  if (good) {
    for (const simdjson::dom::element item : list) {
      good = count < 2 && item.get_uint64().get(offsets[std::min<std::size_t>(count, 1)]) == simdjson::SUCCESS;
      if (!good) break;
      ++count;
    }
  }
  if (!good || count != 2)
    return Fault("expected two whole numbers [begin, end], got " + in_quotes(simdjson::minify(value)));
  return std::pair(offsets[0], offsets[1]);
}

// Nothing when the product does not fit into 64 bits.
std::optional<std::uint64_t> bytes_of(gpu::ElementType element, std::span<const std::int64_t> shape) noexcept {
  std::uint64_t bytes = gpu::element_bytes(element);
  bool overflow = false;
  for (const std::int64_t dimension : shape) {
    if (dimension == 0) return 0;
    overflow = __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(dimension), &bytes) || overflow;
  }
  if (overflow) return std::nullopt;
  return bytes;
}

// `data_bytes` is what follows the header; the entry's offsets still count from there.
Checked<TensorEntry> parse_entry(std::string_view name, const simdjson::dom::element& value, std::size_t data_bytes) {
  const auto at = [name](std::string_view key) { return std::string(name.substr(0, 200)).append(".").append(key); };
  simdjson::dom::object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) {
    return fault(name,
                 "expected an object with dtype, shape and data_offsets, got " + in_quotes(simdjson::minify(value)));
  }
  std::array<std::optional<simdjson::dom::element>, 3> members;
  constexpr std::array<std::string_view, 3> keys = {"dtype", "shape", "data_offsets"};
  for (const auto member : object) {
    const auto key = std::ranges::find(keys, member.key);
    if (key == keys.end()) return fault(at(member.key), "unknown key, expected one of dtype, shape, data_offsets");
    auto& slot = members[static_cast<std::size_t>(key - keys.begin())];
    if (slot) return fault(at(member.key), "expected once, got twice");
    slot = member.value;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!members[i]) return fault(at(keys[i]), "expected a value, got no such key");
  }
  const auto element = parse_dtype(*members[0]);
  if (!element) return fault(at("dtype"), element.error());
  auto shape = parse_shape(*members[1]);
  if (!shape) return fault(at("shape"), shape.error());
  const auto offsets = parse_offsets(*members[2]);
  if (!offsets) return fault(at("data_offsets"), offsets.error());

  const auto [begin, end] = *offsets;
  if (begin > end || end > data_bytes) {
    return fault(at("data_offsets"), "expected begin ≤ end ≤ " + std::to_string(data_bytes) +
                                         " (bytes after the header), got [" + std::to_string(begin) + "," +
                                         std::to_string(end) + "]");
  }
  const auto bytes = bytes_of(*element, *shape);
  if (!bytes || *bytes != end - begin) {
    return fault(at("data_offsets"), "expected " + (bytes ? std::to_string(*bytes) : "more than 2^64") +
                                         " bytes by dtype and shape, got " + std::to_string(end - begin));
  }
  return TensorEntry{*element, std::move(*shape), begin, end};
}

Checked<void> check_coverage(const TensorEntries& entries, std::size_t data_bytes) {
  std::vector<TensorEntries::const_pointer> by_offset;
  by_offset.reserve(entries.size());
  for (const auto& entry : entries) by_offset.push_back(&entry);
  std::ranges::sort(by_offset, {}, [](const auto* entry) { return std::pair(entry->second.begin, entry->second.end); });
  std::size_t covered = 0;
  for (const auto* entry : by_offset) {
    if (entry->second.begin != covered) {
      return fault(entry->first + ".data_offsets", "expected to begin at " + std::to_string(covered) +
                                                       ", where the tensor before it ends, got " +
                                                       std::to_string(entry->second.begin));
    }
    covered = entry->second.end;
  }
  if (covered == data_bytes) return {};
  return Fault("expected " + std::to_string(covered) + " bytes of tensors after the header, got " +
               std::to_string(data_bytes));
}

Checked<std::size_t> header_length(std::span<const std::byte> file) {
  if (file.size() < length_bytes) {
    return Fault("expected a safetensors file that begins with 8 bytes of header length, got " +
                 std::to_string(file.size()) + " bytes in all");
  }
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), length_bytes);
  const std::size_t available = file.size() - length_bytes;
  if (length <= safetensors_header_bytes_max && length <= available) return static_cast<std::size_t>(length);
  return Fault("header length: expected at most " + std::to_string(std::min(available, safetensors_header_bytes_max)) +
               (available < safetensors_header_bytes_max ? " (bytes of the file)" : " (the limit)") + ", got " +
               std::to_string(length));
}

}  // namespace

tl::expected<TensorEntries, std::string> parse_safetensors(std::span<const std::byte> file) {
  const auto length = header_length(file);
  if (!length) return Fault(length.error());
  const std::size_t data_start = length_bytes + *length;
  const std::size_t data_bytes = file.size() - data_start;

  const simdjson::padded_string text(reinterpret_cast<const char*>(file.data()) + length_bytes, *length);
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (const auto error = parser.parse(text).get(root)) {
    return Fault(std::string("header: expected JSON, got: ") + simdjson::error_message(error));
  }
  simdjson::dom::object object;
  if (root.get_object().get(object) != simdjson::SUCCESS) {
    return Fault("header: expected an object of tensors, got " + in_quotes(simdjson::minify(root)));
  }
  TensorEntries entries;
  for (const auto member : object) {
    if (member.key == "__metadata__") continue;
    auto entry = parse_entry(member.key, member.value, data_bytes);
    if (!entry) return Fault(std::move(entry.error()));
    if (!entries.try_emplace(std::string(member.key), std::move(*entry)).second) {
      return fault(member.key, "expected once, got twice");
    }
  }
  if (auto covered = check_coverage(entries, data_bytes); !covered) return Fault(std::move(covered.error()));
  for (auto& [name, entry] : entries) {
    entry.begin += data_start;
    entry.end += data_start;
  }
  return entries;
}

tl::expected<Safetensors, std::string> Safetensors::open(const std::filesystem::path& path) {
  auto file = MappedFile::open(path);
  if (!file) return Fault(std::move(file.error()));
  auto entries = parse_safetensors((*file)->bytes());
  if (!entries) return Fault(std::move(entries.error()));
  Safetensors opened;
  opened.file_ = std::move(*file);
  opened.entries_ = std::move(*entries);
  return opened;
}

std::optional<gpu::HostTensor> Safetensors::tensor(std::string_view name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return std::nullopt;
  const TensorEntry& entry = found->second;
  gpu::HostTensor tensor;
  tensor.element = entry.element;
  tensor.shape = entry.shape;
  // The file begins on a page, so the offset alone decides.
  if (entry.begin % tensor_alignment == 0) {
    tensor.data = file_->bytes().data() + entry.begin;
    tensor.owner = file_;
    return tensor;
  }
  const std::size_t bytes = entry.end - entry.begin;
  const auto copy = std::make_shared<std::vector<Block>>((bytes + tensor_alignment - 1) / tensor_alignment);
  if (bytes > 0) std::memcpy(copy->data(), file_->bytes().data() + entry.begin, bytes);
  tensor.data = reinterpret_cast<const std::byte*>(copy->data());
  tensor.owner = copy;
  return tensor;
}

std::vector<std::string_view> Safetensors::names() const {
  std::vector<std::string_view> names;
  names.reserve(entries_.size());
  for (const auto& [name, entry] : entries_) names.emplace_back(name);
  return names;
}

}  // namespace headrace::models
