#pragma once
// The earliest of up to `capacity` deadlines, each named by a small number. Pure; memory is taken at construction.
// Adding and removing cost O(log n), O(1) when deadlines come in order, as they do with one time-out for all.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "service/telemetry/timeline.hpp"

namespace headrace::pipeline {

class DeadlineHeap {
 public:
  explicit DeadlineHeap(std::size_t capacity);

  bool empty() const noexcept { return heap_.empty(); }
  std::size_t size() const noexcept { return heap_.size(); }
  /// The number with the earliest deadline, and that deadline. There must be one (asserted).
  std::uint32_t first() const noexcept;
  telemetry::Clock::time_point first_deadline() const noexcept;

  /// `number` is below the capacity and not in the heap (asserted).
  void push(std::uint32_t number, telemetry::Clock::time_point deadline) noexcept;
  /// Nothing happens when it is not in the heap.
  void erase(std::uint32_t number) noexcept;

 private:
  struct Node {
    telemetry::Clock::time_point deadline;
    std::uint32_t number;
  };
  static constexpr std::uint32_t absent = UINT32_MAX;

  void place(std::size_t position, const Node& node) noexcept;
  void sift_up(std::size_t position, const Node& node) noexcept;
  void sift_down(std::size_t position, const Node& node) noexcept;

  std::vector<Node> heap_;
  std::vector<std::uint32_t> positions_;  // by number
};

}  // namespace headrace::pipeline
