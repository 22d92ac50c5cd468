#pragma once
// How long a flight of so many rows will take, learned from what flights of about that size took lately: a figure per
// doubling of rows. One per model and device. Wait-free; any thread; two that learn at once may lose one lesson.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace headrace::pipeline {

class WorkEstimate {
 public:
  /// A flight of `rows` rows took that long on the device; nothing is learned from zero, which means "not measured".
  void learn(std::uint32_t rows, std::chrono::nanoseconds took) noexcept;
  /// Zero while nothing is known. For a size that was not seen yet: of the nearest smaller one, or else larger one.
  std::chrono::nanoseconds expect(std::uint32_t rows) const noexcept;

 private:
  static constexpr std::size_t sizes = 33;
  static std::size_t size_of(std::uint32_t rows) noexcept;

  std::array<std::atomic<std::uint64_t>, sizes> took_{};  // nanoseconds; 0: nothing is known
};

}  // namespace headrace::pipeline
