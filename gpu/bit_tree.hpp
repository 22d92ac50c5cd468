#pragma once
// A fixed set of small integers that finds its lowest member in a few word reads, whatever its size: bits, and above
// them a bit per non-empty word, and so on up to one word. Pure; allocates in its constructor only. Not thread-safe.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace headrace::gpu {

class BitTree {
 public:
  /// Members are 0 … size − 1.
  explicit BitTree(std::size_t size);

  bool contains(std::size_t member) const noexcept;
  void insert(std::size_t member) noexcept;
  void erase(std::size_t member) noexcept;
  /// The lowest member; nothing when the set is empty.
  std::optional<std::size_t> first() const noexcept;

 private:
  std::size_t size_;
  std::vector<std::vector<std::uint64_t>> levels_;  // levels_[0] holds the members
};

}  // namespace headrace::gpu
