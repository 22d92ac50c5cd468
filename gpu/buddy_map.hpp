#pragma once
// The arithmetic of a buddy system over `units` equal units, numbered from 0: which blocks of 2^order units are free.
// Pure: knows no memory. Lowest address first, so that an idle service keeps touching the same pages. Not thread-safe.
//
// Any number of units is legal: it is cut into descending powers of two (13 = 8 + 4 + 1). Each starts at a multiple of
// its own size, and a block at the end has no buddy, so that nothing merges across two of them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/bit_tree.hpp"

namespace headrace::gpu {

class BuddyMap {
 public:
  explicit BuddyMap(std::size_t units);

  /// The first unit of a block of 2^order units; nothing when none is free. O(log units), no allocation.
  std::optional<std::size_t> take(std::size_t order) noexcept;
  /// Gives back a block that take() returned, and merges it with its free buddies. Asserted: it is out, with that
  /// order.
  void give(std::size_t unit, std::size_t order) noexcept;

  /// Orders 0 … orders() − 1 exist; 0 for an empty map.
  std::size_t orders() const noexcept { return free_.size(); }
  std::size_t units() const noexcept { return units_; }

 private:
  std::size_t units_;
  std::vector<BitTree> free_;                    // by order: blocks, numbered unit >> order
  std::vector<std::vector<std::uint64_t>> out_;  // by order, likewise: blocks that are taken
};

}  // namespace headrace::gpu
