#include "load/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "proto/float16.hpp"

namespace headrace::load {
namespace {

using proto::Datatype;

struct Number {
  bool is_float = false;
  bool negative = false;        // of an integer
  std::uint64_t magnitude = 0;  // of an integer
  double value = 0;
};

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

Number of_float(double value) { return {true, false, 0, value}; }

Number of_unsigned(std::uint64_t value) { return {false, false, value, static_cast<double>(value)}; }

Number of_signed(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return {false, value < 0, value < 0 ? 0 - bits : bits, static_cast<double>(value)};
}

Number number_at(Datatype datatype, const std::byte* at) {
  switch (datatype) {
    case Datatype::boolean: return of_unsigned(load<std::uint8_t>(at) != 0 ? 1 : 0);
    case Datatype::uint8: return of_unsigned(load<std::uint8_t>(at));
    case Datatype::uint16: return of_unsigned(load<std::uint16_t>(at));
    case Datatype::uint32: return of_unsigned(load<std::uint32_t>(at));
    case Datatype::uint64: return of_unsigned(load<std::uint64_t>(at));
    case Datatype::int8: return of_signed(load<std::int8_t>(at));
    case Datatype::int16: return of_signed(load<std::int16_t>(at));
    case Datatype::int32: return of_signed(load<std::int32_t>(at));
    case Datatype::int64: return of_signed(load<std::int64_t>(at));
    case Datatype::fp16: return of_float(static_cast<double>(proto::Fp16::widen(load<std::uint16_t>(at))));
    case Datatype::bf16: return of_float(static_cast<double>(proto::Bf16::widen(load<std::uint16_t>(at))));
    case Datatype::fp32: return of_float(static_cast<double>(load<float>(at)));
    case Datatype::fp64: return of_float(load<double>(at));
    case Datatype::bytes: break;
  }
  return {};
}

bool same(const Number& got, const Number& want, double tolerance) {
  if (!got.is_float && !want.is_float) return got.negative == want.negative && got.magnitude == want.magnitude;
  if (std::isnan(want.value) || std::isnan(got.value)) return std::isnan(want.value) && std::isnan(got.value);
  if (std::isinf(want.value) || std::isinf(got.value)) return got.value == want.value;
  return std::fabs(got.value - want.value) <= tolerance * std::max(1.0, std::fabs(want.value));
}

}  // namespace

std::optional<std::string> first_difference(TensorBytes got, TensorBytes want, double tolerance) {
  if (got.datatype == want.datatype && got.bytes.size() == want.bytes.size() &&
      std::memcmp(got.bytes.data(), want.bytes.data(), got.bytes.size()) == 0) {
    return std::nullopt;
  }
  const std::size_t got_item = proto::traits(got.datatype).item_bytes;
  const std::size_t want_item = proto::traits(want.datatype).item_bytes;
  if (got_item == 0 || want_item == 0) return "BYTES elements differ";
  const std::size_t count = got.bytes.size() / got_item;
  if (count != want.bytes.size() / want_item) {
    return fmt::format("{} elements came, {} were expected", count, want.bytes.size() / want_item);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Number a = number_at(got.datatype, got.bytes.data() + i * got_item);
    const Number b = number_at(want.datatype, want.bytes.data() + i * want_item);
    if (!same(a, b, tolerance)) return fmt::format("element {} is {}, expected {}", i, a.value, b.value);
  }
  return std::nullopt;
}

}  // namespace headrace::load
