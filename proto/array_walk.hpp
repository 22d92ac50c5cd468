#pragma once
// Walks the scalars of a JSON array, nested in any mixture, without recursion.

#include <cstddef>
#include <string_view>

#include "proto/json_scan.hpp"
#include "proto/limits.hpp"

namespace headrace::proto {

struct ArrayWalk {
  enum class Fault { none, malformed, too_deep, element } fault = Fault::none;
  std::size_t elements = 0;   // walked before the fault
  const char* at = nullptr;   // where the fault is
};

/// `text` is one array, blanks around it allowed. `element(p, end, index)` reads the scalar at `p` and gives its end,
/// or nullptr when it does not like it; every bracket and comma is checked here.
template <class ElementReader>
ArrayWalk walk_array(std::string_view text, const ElementReader& element) noexcept {
  using Fault = ArrayWalk::Fault;
  const char* p = text.data();
  const char* const end = p + text.size();
  p = skip_blanks(p, end);
  std::size_t depth = 0;
  std::size_t index = 0;
  if (p == end || *p != '[') return {Fault::malformed, 0, p};
  while (true) {
    bool empty = false;
    while (!empty && p != end && *p == '[') {
      if (depth++ == json_depth_max) return {Fault::too_deep, index, p};
      p = skip_blanks(p + 1, end);
      empty = p != end && *p == ']';
    }
    if (!empty) {
      const char* stop = p == end ? nullptr : element(p, end, index);
      if (stop == nullptr) return {p == end ? Fault::malformed : Fault::element, index, p};
      if (stop != end && *stop != ',' && *stop != ']' && !is_blank(*stop)) return {Fault::element, index, p};
      p = skip_blanks(stop, end);
      ++index;
    }
    while (p != end && *p == ']') {
      p = skip_blanks(p + 1, end);
      if (--depth == 0) return {p == end ? Fault::none : Fault::malformed, index, p};
    }
    if (p == end || *p != ',') return {Fault::malformed, index, p};
    p = skip_blanks(p + 1, end);
  }
}

}  // namespace headrace::proto
