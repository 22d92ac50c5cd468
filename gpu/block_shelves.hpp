#pragma once
// Small blocks that were given back, kept at hand for the next take: a few shelves, each mostly used by one thread, so
// that threads neither wait for one lock nor pass cache lines to each other. Bounded; the pool takes back what is on
// them once it has nothing else. Thread-safe; nothing waits.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace headrace::gpu {

class BlockShelves {
 public:
  static constexpr std::size_t orders = 9;  // 2^0 to 2^8 units: 256 B to 64 KiB
  static constexpr std::size_t shelves = 16;
  static constexpr std::size_t blocks_max = 32;  // of one order on one shelf

  /// `units`: what the pool has. All shelves together hold at most a seventh of it: 1/1024 of it, and not more than
  /// 1024 units, an order and shelf.
  explicit BlockShelves(std::size_t units) noexcept;

  /// A block that the calling thread's shelf has.
  std::optional<std::size_t> take(std::size_t order) noexcept;
  /// False when that order has no place there, or no more.
  bool put(std::size_t order, std::size_t unit) noexcept;
  /// `give(order, unit)` for every block of every shelf that nobody uses just now.
  template <class Give>
  void clear(const Give& give) noexcept {
    for (Shelf& shelf : shelves_) {
      const Hold hold(shelf);
      if (!hold.held) continue;
      for (std::size_t order = 0; order < orders; ++order) {
        Pile& pile = shelf.piles[order];
        while (pile.count != 0) give(order, pile.units[--pile.count]);
      }
    }
  }

 private:
  struct Pile {
    std::uint32_t count = 0;
    std::array<std::size_t, blocks_max> units;
  };
  struct alignas(128) Shelf {
    std::atomic_flag used;
    std::array<Pile, orders> piles;
  };
  /// Tries to hold the shelf; another thread that is there just now is not waited for.
  struct Hold {
    explicit Hold(Shelf& at) noexcept : shelf(at), held(!at.used.test_and_set(std::memory_order_acquire)) {}
    ~Hold() {
      if (held) shelf.used.clear(std::memory_order_release);
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    Shelf& shelf;
    const bool held;
  };

  Shelf& mine() noexcept;

  std::array<std::uint32_t, orders> room_{};  // blocks of that order on each shelf
  std::array<Shelf, shelves> shelves_;
};

}  // namespace headrace::gpu
