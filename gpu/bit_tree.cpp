#include "gpu/bit_tree.hpp"

#include <bit>
#include <cassert>

namespace headrace::gpu {
namespace {

constexpr std::size_t word_bits = 64;

std::uint64_t mask(std::size_t member) noexcept { return std::uint64_t{1} << (member % word_bits); }

}  // namespace

BitTree::BitTree(std::size_t size) : size_(size) {
  std::size_t words = size;
  do {
    words = words / word_bits + (words % word_bits != 0 ? 1 : 0);
    levels_.emplace_back(words, 0);
  } while (words > 1);
}

bool BitTree::contains(std::size_t member) const noexcept {
  return member < size_ && (levels_[0][member / word_bits] & mask(member)) != 0;
}

void BitTree::insert(std::size_t member) noexcept {
  assert(member < size_);
  for (auto& level : levels_) {
    std::uint64_t& word = level[member / word_bits];
    const bool known_above = word != 0;
    word |= mask(member);
    if (known_above) return;
    member /= word_bits;
  }
}

void BitTree::erase(std::size_t member) noexcept {
  assert(contains(member));
  for (auto& level : levels_) {
    std::uint64_t& word = level[member / word_bits];
    word &= ~mask(member);
    if (word != 0) return;
    member /= word_bits;
  }
}

std::optional<std::size_t> BitTree::first() const noexcept {
  if (levels_.back().empty() || levels_.back()[0] == 0) return std::nullopt;
  std::size_t at = 0;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    at = at * word_bits + static_cast<std::size_t>(std::countr_zero((*level)[at]));
  }
  return at;
}

}  // namespace headrace::gpu
