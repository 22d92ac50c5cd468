#include "gpu/buddy_map.hpp"

#include <bit>
#include <cassert>

namespace headrace::gpu {
namespace {

constexpr std::size_t word_bits = 64;

std::uint64_t mask(std::size_t block) noexcept { return std::uint64_t{1} << (block % word_bits); }

}  // namespace

BuddyMap::BuddyMap(std::size_t units) : units_(units) {
  const auto orders = static_cast<std::size_t>(std::bit_width(units));
  for (std::size_t order = 0; order < orders; ++order) {
    const std::size_t blocks = units >> order;
    free_.emplace_back(blocks);
    out_.emplace_back(blocks / word_bits + 1, 0);
  }
  std::size_t unit = 0;
  for (std::size_t order = orders; order-- > 0;) {
    if (((units >> order) & 1) == 0) continue;
    free_[order].insert(unit >> order);
    unit += std::size_t{1} << order;
  }
}

std::optional<std::size_t> BuddyMap::take(std::size_t order) noexcept {
  for (std::size_t from = order; from < free_.size(); ++from) {
    const auto found = free_[from].first();
    if (!found) continue;
    free_[from].erase(*found);
    std::size_t block = *found;
    for (std::size_t at = from; at > order; --at) {
      block *= 2;
      free_[at - 1].insert(block + 1);
    }
    out_[order][block / word_bits] |= mask(block);
    return block << order;
  }
  return std::nullopt;
}

void BuddyMap::give(std::size_t unit, std::size_t order) noexcept {
  assert(order < free_.size() && unit % (std::size_t{1} << order) == 0);
  std::size_t block = unit >> order;
  std::uint64_t& word = out_[order][block / word_bits];
  assert((word & mask(block)) != 0 && "a block was given back that was not out");
  word &= ~mask(block);
  while (order + 1 < free_.size() && free_[order].contains(block ^ 1)) {
    free_[order].erase(block ^ 1);
    block /= 2;
    ++order;
  }
  free_[order].insert(block);
}

}  // namespace headrace::gpu
