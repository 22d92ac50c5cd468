#pragma once
// A tensor's shape as requests carry it: at most tensor_rank_max dimensions, stored in place, no allocation.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "proto/limits.hpp"

namespace headrace::proto {

class Shape {
 public:
  Shape() = default;
  /// At most tensor_rank_max dimensions (asserted).
  Shape(std::initializer_list<std::int64_t> dims);
  explicit Shape(std::span<const std::int64_t> dims);

  /// False when the shape already has tensor_rank_max dimensions.
  bool push_back(std::int64_t dim) noexcept;
  void clear() noexcept { rank_ = 0; }

  std::span<const std::int64_t> dims() const noexcept { return {dims_.data(), rank_}; }
  std::size_t rank() const noexcept { return rank_; }
  std::int64_t operator[](std::size_t i) const noexcept { return dims_[i]; }

  /// Product of the dimensions, 1 for a scalar. Nothing when a dimension is negative or the product of those that are
  /// not 0 overflows int64, so that any part of an accepted shape can be multiplied out.
  std::optional<std::int64_t> elements() const noexcept;
  /// "[450,64]"
  std::string to_string() const;

  friend bool operator==(const Shape& a, const Shape& b) noexcept;

 private:
  std::array<std::int64_t, tensor_rank_max> dims_{};
  std::size_t rank_ = 0;
};

}  // namespace headrace::proto
