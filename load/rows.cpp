#include "load/rows.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cassert>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <utility>

#include "proto/float16.hpp"

namespace headrace::load {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors travel in little-endian order");

constexpr std::size_t random_text_bytes = 8;

std::optional<proto::Datatype> datatype_of(std::string_view descr) {
  using proto::Datatype;
  constexpr std::array<std::pair<std::string_view, Datatype>, 14> names{{
      {"|b1", Datatype::boolean},
      {"|u1", Datatype::uint8},
      {"|i1", Datatype::int8},
      {"<u2", Datatype::uint16},
      {"<u4", Datatype::uint32},
      {"<u8", Datatype::uint64},
      {"<i2", Datatype::int16},
      {"<i4", Datatype::int32},
      {"<i8", Datatype::int64},
      {"<f2", Datatype::fp16},
      {"<f4", Datatype::fp32},
      {"<f8", Datatype::fp64},
      {"<u1", Datatype::uint8},
      {"<i1", Datatype::int8},
  }};
  for (const auto& [name, datatype] : names) {
    if (name == descr) return datatype;
  }
  return std::nullopt;
}

/// The text behind `'key':` in the header's dictionary, blanks skipped.
std::optional<std::string_view> value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view value = header.substr(at + key.size() + 3);
  while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  return value;
}

std::optional<std::vector<std::size_t>> parse_shape(std::string_view text) {
  if (text.empty() || text.front() != '(') return std::nullopt;
  std::vector<std::size_t> shape;
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size();
  for (;;) {
    while (at != end && (*at == ' ' || *at == ',')) ++at;
    if (at == end) return std::nullopt;
    if (*at == ')') return shape;
    std::size_t dim = 0;
    const auto [stop, error] = std::from_chars(at, end, dim);
    if (error != std::errc{}) return std::nullopt;
    shape.push_back(dim);
    at = stop;
  }
}

struct Preamble {
  std::string_view header;
  std::size_t data_at = 0;
};

std::optional<Preamble> parse_preamble(std::string_view file) {
  if (file.size() < 12 || !file.starts_with("\x93NUMPY")) return std::nullopt;
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(file[i])); };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) return std::nullopt;
  const std::size_t begin = version == 1 ? 10 : 12;
  std::size_t bytes = byte(8) | byte(9) << 8;
  if (version != 1) bytes |= byte(10) << 16 | byte(11) << 24;
  if (bytes > file.size() - begin) return std::nullopt;
  return Preamble{file.substr(begin, bytes), begin + bytes};
}

template <class T>
void put(std::byte*& at, T value) {
  std::memcpy(at, &value, sizeof value);
  at += sizeof value;
}

void put_random(std::byte*& at, proto::Datatype datatype, std::mt19937_64& random) {
  using proto::Datatype;
  const std::uint64_t bits = random();
  const auto number = static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;  // [-1, 1) in steps of 2^-52
  const auto small = static_cast<std::uint8_t>(bits >> 57);             // 0 to 127
  switch (datatype) {
    case Datatype::boolean: return put(at, static_cast<std::uint8_t>(bits >> 63));
    case Datatype::uint8:
    case Datatype::int8: return put(at, small);
    case Datatype::uint16:
    case Datatype::int16: return put(at, std::uint16_t{small});
    case Datatype::uint32:
    case Datatype::int32: return put(at, std::uint32_t{small});
    case Datatype::uint64:
    case Datatype::int64: return put(at, std::uint64_t{small});
    case Datatype::fp16: return put(at, proto::Fp16::round(number).value_or(0));
    case Datatype::bf16: return put(at, proto::Bf16::round(number).value_or(0));
    case Datatype::fp32: {
      const float rounded = static_cast<float>(number);
      return put(at, rounded < 1.0F ? rounded : 0.0F);
    }
    case Datatype::fp64: return put(at, number);
    case Datatype::bytes:
      put(at, static_cast<std::uint32_t>(random_text_bytes));
      for (std::size_t i = 0; i < random_text_bytes; ++i) {
        put(at, static_cast<char>('a' + (bits >> (8 * i) & 0xff) % 26));
      }
      return;
  }
}

}  // namespace

Rows::Rows(proto::Datatype datatype, std::size_t row_elements, std::size_t row_bytes, std::vector<std::byte> bytes)
    : datatype_(datatype),
      row_elements_(row_elements),
      row_bytes_(row_bytes),
      count_(row_bytes == 0 ? 0 : bytes.size() / row_bytes),
      bytes_(std::move(bytes)) {
  assert(bytes_.size() == count_ * row_bytes_);
}

void Rows::allow_windows(std::size_t rows) {
  assert(count_ != 0 && rows != 0);
  const std::size_t wanted = (count_ + rows - 1) * row_bytes_;
  bytes_.reserve(wanted);
  while (bytes_.size() < wanted) {
    const std::size_t held = bytes_.size();
    const std::size_t added = std::min(wanted - held, count_ * row_bytes_);
    bytes_.resize(held + added);
    // What is held is whole tables, so this goes on with row 0.
    std::memcpy(bytes_.data() + held, bytes_.data(), added);
  }
}

std::span<const std::byte> Rows::window(std::size_t first, std::size_t rows) const noexcept {
  assert(first < count_ && (first + rows) * row_bytes_ <= bytes_.size());
  return {bytes_.data() + first * row_bytes_, rows * row_bytes_};
}

Result<Rows> parse_npy(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const auto preamble = parse_preamble(text);
  if (!preamble) return fail("not a .npy file of format 1, 2 or 3");
  const auto descr = value_of(preamble->header, "descr");
  if (!descr || descr->size() < 2 || descr->front() != '\'') {
    return fail("the header's 'descr' is missing or not a plain type");
  }
  const std::string_view type = descr->substr(1, descr->find('\'', 1) - 1);
  const auto datatype = datatype_of(type);
  if (!datatype) return fail(fmt::format("type '{}' is not a little-endian number or boolean", type));
  const auto order = value_of(preamble->header, "fortran_order");
  if (!order || !order->starts_with("False")) return fail("the array must be in C order");
  const auto shape_text = value_of(preamble->header, "shape");
  const auto shape = shape_text ? parse_shape(*shape_text) : std::nullopt;
  if (!shape) return fail("the header's 'shape' is missing or no tuple of integers");
  if (shape->empty()) return fail("the array must have a first dimension that counts rows");

  std::size_t row_elements = 1;
  for (std::size_t i = 1; i < shape->size(); ++i) {
    if ((*shape)[i] != 0 && row_elements > file.size() / (*shape)[i]) return fail("the shape does not fit the file");
    row_elements *= (*shape)[i];
  }
  const std::size_t row_bytes = row_elements * proto::traits(*datatype).item_bytes;
  const auto data = file.subspan(preamble->data_at);
  if (shape->front() == 0 || row_bytes == 0) return fail("the array holds no rows");
  if (data.size() / row_bytes != shape->front() || data.size() % row_bytes != 0) {
    return fail(fmt::format("the file holds {} bytes of data where {} rows of {} bytes were expected", data.size(),
                            shape->front(), row_bytes));
  }
  return Rows(*datatype, row_elements, row_bytes, std::vector<std::byte>(data.begin(), data.end()));
}

Result<Rows> read_npy(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail(fmt::format("{}: cannot be opened", path.string()));
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  auto rows = parse_npy(std::as_bytes(std::span(text)));
  if (!rows) return fail(fmt::format("{}: {}", path.string(), rows.error()));
  return rows;
}

Rows random_rows(const TensorInfo& tensor, std::size_t count, std::uint64_t seed) {
  const std::size_t item_bytes = tensor.datatype == proto::Datatype::bytes ? sizeof(std::uint32_t) + random_text_bytes
                                                                           : proto::traits(tensor.datatype).item_bytes;
  const std::size_t row_elements = tensor.row_elements();
  std::vector<std::byte> bytes(count * row_elements * item_bytes);
  std::mt19937_64 random(seed);
  std::byte* at = bytes.data();
  for (std::size_t i = 0; i < count * row_elements; ++i) put_random(at, tensor.datatype, random);
  return Rows(tensor.datatype, row_elements, row_elements * item_bytes, std::move(bytes));
}

}  // namespace headrace::load
