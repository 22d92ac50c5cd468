#pragma once
// The values of one label, numbered in the order in which they were first seen. Bounded: a label that comes
// from a request can never make series without end.

#include <array>
#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>

namespace headrace::telemetry {

/// Thread-safe; look-up of a known name is wait-free, a new one takes a lock once.
class LabelTable {
 public:
  /// Names beyond this share the last number, whose name is "other".
  static constexpr std::size_t size_max = 24;

  explicit LabelTable(std::initializer_list<std::string_view> known);

  std::size_t number(std::string_view name) noexcept;
  std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }
  /// number < size().
  const std::string& name(std::size_t number) const noexcept { return names_[number]; }

 private:
  std::size_t find(std::string_view name, std::size_t size) const noexcept;
  std::size_t add(std::string_view name) noexcept;

  std::mutex adding_;
  std::atomic<std::size_t> size_{0};
  std::array<std::string, size_max> names_;  // those below size_ never change again
};

}  // namespace headrace::telemetry
