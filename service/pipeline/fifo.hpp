#pragma once
// A bounded first-in-first-out ring; its memory is taken at construction. Not thread-safe: a channel guards it.

#include <cassert>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace headrace::pipeline {

template <class T>
class Fifo {
  static_assert(std::is_nothrow_move_constructible_v<T>);

 public:
  explicit Fifo(std::size_t capacity) : cells_(capacity) { assert(capacity > 0); }
  ~Fifo() {
    while (!empty()) pop();
  }
  Fifo(const Fifo&) = delete;
  Fifo& operator=(const Fifo&) = delete;

  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return cells_.size(); }
  bool empty() const noexcept { return size_ == 0; }
  bool has_room(const T&) const noexcept { return size_ < cells_.size(); }

  /// There must be room (asserted).
  void push(T&& item) noexcept {
    assert(size_ < cells_.size());
    std::construct_at(&cells_[wrap(head_ + size_)].item, std::move(item));
    ++size_;
  }
  /// The oldest. There must be one (asserted).
  T pop() noexcept {
    assert(!empty());
    T& cell = cells_[head_].item;
    T item = std::move(cell);
    std::destroy_at(&cell);
    head_ = wrap(head_ + 1);
    --size_;
    return item;
  }

 private:
  union Cell {
    Cell() noexcept {}
    ~Cell() {}
    T item;
  };

  std::size_t wrap(std::size_t index) const noexcept { return index < cells_.size() ? index : index - cells_.size(); }

  std::vector<Cell> cells_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace headrace::pipeline
