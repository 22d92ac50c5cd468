#include "proto/shape.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "proto/message.hpp"

namespace headrace::proto {

Shape::Shape(std::initializer_list<std::int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}

Shape::Shape(std::span<const std::int64_t> dims) : rank_(dims.size()) {
  assert(dims.size() <= tensor_rank_max);
  std::ranges::copy(dims, dims_.begin());
}

bool Shape::push_back(std::int64_t dim) noexcept {
  if (rank_ == tensor_rank_max) return false;
  dims_[rank_++] = dim;
  return true;
}

std::optional<std::int64_t> Shape::elements() const noexcept {
  std::int64_t product = 1;
  bool empty = false;
  for (const auto dim : dims()) {
    if (dim < 0) return std::nullopt;
    if (dim == 0) {
      empty = true;
    } else {
      if (product > std::numeric_limits<std::int64_t>::max() / dim) return std::nullopt;
      product *= dim;
    }
  }
  return empty ? 0 : product;
}

std::string Shape::to_string() const {
  std::string text = "[";
  for (const auto dim : dims()) {
    if (text.size() > 1) text += ',';
    text += Decimal(dim).view();
  }
  text += ']';
  return text;
}

bool operator==(const Shape& a, const Shape& b) noexcept { return std::ranges::equal(a.dims(), b.dims()); }

}  // namespace headrace::proto
