#include "service/telemetry/label_table.hpp"

#include <cassert>
#include <new>

namespace headrace::telemetry {

LabelTable::LabelTable(std::initializer_list<std::string_view> known) {
  assert(known.size() < size_max);
  for (const auto name : known) number(name);
}

std::size_t LabelTable::number(std::string_view name) noexcept {
  const std::size_t size = this->size();
  const std::size_t found = find(name, size);
  return found < size ? found : add(name);
}

std::size_t LabelTable::find(std::string_view name, std::size_t size) const noexcept {
  std::size_t i = 0;
  while (i < size && names_[i] != name) ++i;
  return i;
}

std::size_t LabelTable::add(std::string_view name) noexcept {
  const std::lock_guard lock(adding_);
  const std::size_t size = size_.load(std::memory_order_relaxed);
  const std::size_t found = find(name, size);
  if (found < size) return found;
  if (size == size_max) return size_max - 1;
  try {
    names_[size] = size + 1 == size_max ? std::string_view("other") : name;
  } catch (const std::bad_alloc&) {
    names_[size] = "other";
  }
  size_.store(size + 1, std::memory_order_release);
  return size;
}

}  // namespace headrace::telemetry
