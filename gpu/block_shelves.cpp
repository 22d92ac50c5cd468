#include "gpu/block_shelves.hpp"

#include <algorithm>

namespace headrace::gpu {

BlockShelves::BlockShelves(std::size_t units) noexcept {
  const std::size_t units_max = std::min<std::size_t>(units / 1024, 1024);
  for (std::size_t order = 0; order < orders; ++order) {
    room_[order] = static_cast<std::uint32_t>(std::min(units_max >> order, blocks_max));
  }
}

BlockShelves::Shelf& BlockShelves::mine() noexcept {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t index = next.fetch_add(1, std::memory_order_relaxed) % shelves;
  return shelves_[index];
}

std::optional<std::size_t> BlockShelves::take(std::size_t order) noexcept {
  if (order >= orders || room_[order] == 0) return std::nullopt;
  const Hold hold(mine());
  if (!hold.held) return std::nullopt;
  Pile& pile = hold.shelf.piles[order];
  if (pile.count == 0) return std::nullopt;
  return pile.units[--pile.count];
}

bool BlockShelves::put(std::size_t order, std::size_t unit) noexcept {
  if (order >= orders || room_[order] == 0) return false;
  const Hold hold(mine());
  if (!hold.held) return false;
  Pile& pile = hold.shelf.piles[order];
  if (pile.count == room_[order]) return false;
  pile.units[pile.count++] = unit;
  return true;
}

}  // namespace headrace::gpu
