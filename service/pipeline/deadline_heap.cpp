#include "service/pipeline/deadline_heap.hpp"

#include <cassert>

namespace headrace::pipeline {

DeadlineHeap::DeadlineHeap(std::size_t capacity) : positions_(capacity, absent) { heap_.reserve(capacity); }

std::uint32_t DeadlineHeap::first() const noexcept {
  assert(!empty());
  return heap_.front().number;
}

telemetry::Clock::time_point DeadlineHeap::first_deadline() const noexcept {
  assert(!empty());
  return heap_.front().deadline;
}

void DeadlineHeap::push(std::uint32_t number, telemetry::Clock::time_point deadline) noexcept {
  assert(number < positions_.size() && positions_[number] == absent);
  const Node node{deadline, number};
  heap_.push_back(node);
  sift_up(heap_.size() - 1, node);
}

void DeadlineHeap::erase(std::uint32_t number) noexcept {
  const std::uint32_t position = positions_[number];
  if (position == absent) return;
  positions_[number] = absent;
  const Node last = heap_.back();
  heap_.pop_back();
  if (last.number == number) return;
  // The last node fills the hole; it may belong above it or below.
  sift_up(position, last);
  if (heap_[position].number == last.number) sift_down(position, last);
}

void DeadlineHeap::place(std::size_t position, const Node& node) noexcept {
  heap_[position] = node;
  positions_[node.number] = static_cast<std::uint32_t>(position);
}

void DeadlineHeap::sift_up(std::size_t position, const Node& node) noexcept {
  while (position > 0) {
    const std::size_t parent = (position - 1) / 2;
    if (heap_[parent].deadline <= node.deadline) break;
    place(position, heap_[parent]);
    position = parent;
  }
  place(position, node);
}

void DeadlineHeap::sift_down(std::size_t position, const Node& node) noexcept {
  for (;;) {
    std::size_t child = 2 * position + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1].deadline < heap_[child].deadline) ++child;
    if (node.deadline <= heap_[child].deadline) break;
    place(position, heap_[child]);
    position = child;
  }
  place(position, node);
}

}  // namespace headrace::pipeline
