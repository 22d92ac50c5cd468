#include "gpu/ops/conformance.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

namespace headrace::gpu {
namespace {

template <class T>
double load(const std::byte* element) noexcept {
  T value;
  std::memcpy(&value, element, sizeof value);
  return static_cast<double>(value);
}

template <class T>
void store(std::byte* element, T value) noexcept {
  std::memcpy(element, &value, sizeof value);
}

double half_value(const std::byte* element) noexcept {
  std::uint16_t bits;
  std::memcpy(&bits, element, sizeof bits);
  const double sign = (bits & 0x8000u) != 0 ? -1.0 : 1.0;
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  if (exponent == 0x1f) return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}

double brain_value(const std::byte* element) noexcept {
  std::uint16_t bits;
  std::memcpy(&bits, element, sizeof bits);
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

template <class T>
T special(std::size_t i) noexcept {
  using Limits = std::numeric_limits<T>;
  const std::array values{T{0},
                          -T{0},
                          Limits::infinity(),
                          -Limits::infinity(),
                          Limits::quiet_NaN(),
                          Limits::denorm_min(),
                          -Limits::denorm_min(),
                          Limits::min(),
                          Limits::max(),
                          -Limits::max()};
  return values[i % values.size()];
}

void fill_element(ElementType type, Generator& generator, std::byte* element) noexcept {
  const std::uint64_t bits = generator.bits();
  switch (type) {
    case ElementType::boolean: return store(element, static_cast<std::uint8_t>(bits & 1));
    case ElementType::u64: return store(element, bits >> 11);
    case ElementType::i64: return store(element, static_cast<std::int64_t>(bits) >> 11);
    case ElementType::f32: return store(element, 4 * generator.unit());
    case ElementType::f64: return store(element, 4 * static_cast<double>(generator.unit()));
    default: std::memcpy(element, &bits, element_bytes(type));
  }
}

std::string describe(const Step& step, std::size_t row, std::size_t element, double want, double got) {
  std::array<char, 256> text;
  std::snprintf(text.data(), text.size(), "row %zu, element %zu: expected %.9g within %.3g + %.3g of it, got %.9g", row,
                element, want, step.tolerance().absolute, step.tolerance().relative, got);
  return std::string(step.op()) + " " + step.input().to_string() + ": " + text.data();
}

bool agrees(const Tolerance& tolerance, ElementType type, double want, double got) noexcept {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  const double rounded = type == ElementType::f32 ? static_cast<double>(static_cast<float>(want)) : want;
  if (!std::isfinite(rounded) || !std::isfinite(got)) return got == rounded;
  if (tolerance.absolute == 0 && tolerance.relative == 0) {
    return got == want && std::signbit(got) == std::signbit(want);
  }
  return std::abs(got - want) <= tolerance.absolute + tolerance.relative * std::abs(want);
}

}  // namespace

double element_value(ElementType type, const std::byte* element) noexcept {
  switch (type) {
    case ElementType::boolean:
    case ElementType::u8: return load<std::uint8_t>(element);
    case ElementType::u16: return load<std::uint16_t>(element);
    case ElementType::u32: return load<std::uint32_t>(element);
    case ElementType::u64: return load<std::uint64_t>(element);
    case ElementType::i8: return load<std::int8_t>(element);
    case ElementType::i16: return load<std::int16_t>(element);
    case ElementType::i32: return load<std::int32_t>(element);
    case ElementType::i64: return load<std::int64_t>(element);
    case ElementType::f16: return half_value(element);
    case ElementType::bf16: return brain_value(element);
    case ElementType::f32: return load<float>(element);
    case ElementType::f64: return load<double>(element);
  }
  return 0;
}

void fill_rows(const TensorType& type, RowKind kind, Generator& generator, std::span<std::byte> rows) {
  const std::size_t item = element_bytes(type.element);
  const std::size_t row_elements = type.row_elements();
  for (std::size_t at = 0; at < rows.size(); at += item) fill_element(type.element, generator, rows.data() + at);
  if (kind != RowKind::edges) return;
  for (std::size_t row = 0; row < rows.size() / (row_elements * item); ++row) {
    std::byte* element = rows.data() + (row * row_elements + generator.bits() % row_elements) * item;
    if (type.element == ElementType::f32) store(element, special<float>(row));
    if (type.element == ElementType::f64) store(element, special<double>(row));
  }
}

std::optional<std::string> find_mismatch(const Step& step, std::span<const std::byte> in,
                                         std::span<const std::byte> out, std::size_t rows) {
  const TensorType& from = step.input();
  const TensorType& to = step.output();
  if (in.size() != rows * from.row_bytes() || out.size() != rows * to.row_bytes()) return "buffers of the wrong size";
  std::vector<double> x(from.row_elements());
  std::vector<double> want(to.row_elements());
  for (std::size_t row = 0; row < rows; ++row) {
    const std::byte* source = in.data() + row * from.row_bytes();
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = element_value(from.element, source + i * element_bytes(from.element));
    step.reference(x, want);
    const std::byte* result = out.data() + row * to.row_bytes();
    for (std::size_t i = 0; i < want.size(); ++i) {
      const double got = element_value(to.element, result + i * element_bytes(to.element));
      if (!agrees(step.tolerance(), to.element, want[i], got)) return describe(step, row, i, want[i], got);
    }
  }
  return std::nullopt;
}

}  // namespace headrace::gpu
