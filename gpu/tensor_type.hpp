#pragma once
// What one row of a tensor is: element type and row shape. The batch dimension is never part of it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::gpu {

/// Fixed-size element types; little-endian in memory. boolean is one byte, 0 or 1.
enum class ElementType : std::uint8_t { boolean, u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64 };

std::size_t element_bytes(ElementType type) noexcept;
std::string_view element_name(ElementType type) noexcept;  // "FP32": the protocol's names

/// "[10, 128]": how messages show a shape.
std::string shape_text(std::span<const std::int64_t> shape);

struct TensorType {
  ElementType element = ElementType::f32;
  std::vector<std::int64_t> row_shape;

  std::size_t row_elements() const noexcept;  // 1 for a scalar row
  std::size_t row_bytes() const noexcept { return row_elements() * element_bytes(element); }
  std::string to_string() const;  // "FP32[64]"
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

}  // namespace headrace::gpu
