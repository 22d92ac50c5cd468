#include "gpu/tensor_type.hpp"

#include <array>
#include <cassert>

namespace headrace::gpu {
namespace {

struct ElementTraits {
  std::string_view name;
  std::size_t bytes;
};

// In the order of the enumeration.
constexpr std::array<ElementTraits, 13> element_table{{{"BOOL", 1},
                                                       {"UINT8", 1},
                                                       {"UINT16", 2},
                                                       {"UINT32", 4},
                                                       {"UINT64", 8},
                                                       {"INT8", 1},
                                                       {"INT16", 2},
                                                       {"INT32", 4},
                                                       {"INT64", 8},
                                                       {"FP16", 2},
                                                       {"BF16", 2},
                                                       {"FP32", 4},
                                                       {"FP64", 8}}};

const ElementTraits& traits(ElementType type) noexcept {
  const auto index = static_cast<std::size_t>(type);
  assert(index < element_table.size());
  return element_table[index];
}

}  // namespace

std::size_t element_bytes(ElementType type) noexcept { return traits(type).bytes; }
std::string_view element_name(ElementType type) noexcept { return traits(type).name; }

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (const std::int64_t dim : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(dim);
  }
  return text += "]";
}

std::size_t TensorType::row_elements() const noexcept {
  std::size_t elements = 1;
  for (const std::int64_t dim : row_shape) elements *= static_cast<std::size_t>(dim);
  return elements;
}

std::string TensorType::to_string() const { return std::string(element_name(element)) + shape_text(row_shape); }

}  // namespace headrace::gpu
