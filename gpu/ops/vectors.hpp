#pragma once
// Rows as vectors along their last dimension: what operators over a row work on, each vector by itself. A row without
// dimensions is a vector of one element.

#include <cstddef>
#include <span>

#include "gpu/tensor_type.hpp"

namespace headrace::gpu {

struct Vectors {
  std::size_t width = 1;    // elements of one vector
  std::size_t per_row = 1;  // vectors in one row
};

inline Vectors vectors_of(const TensorType& type) {
  const std::size_t width = type.row_shape.empty() ? 1 : static_cast<std::size_t>(type.row_shape.back());
  return {width, type.row_elements() / width};
}

/// The same shape without its last dimension.
inline TensorType without_last(const TensorType& type) {
  TensorType reduced = type;
  if (!reduced.row_shape.empty()) reduced.row_shape.pop_back();
  return reduced;
}

}  // namespace headrace::gpu
