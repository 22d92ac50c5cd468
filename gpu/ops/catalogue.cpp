#include "gpu/ops/catalogue.hpp"

#include <algorithm>
#include <array>

namespace headrace::gpu {

#define HEADRACE_OPERATOR(name) const Operator& name##_operator() noexcept;
#include "gpu/ops/operators.def"
#undef HEADRACE_OPERATOR

std::span<const Operator* const> catalogue() noexcept {
#define HEADRACE_OPERATOR(name) &name##_operator(),
  static const std::array entries{
#include "gpu/ops/operators.def"
  };
#undef HEADRACE_OPERATOR
  return entries;
}

const Operator* find_operator(std::string_view name) noexcept {
  const auto all = catalogue();
  const auto found = std::ranges::find(all, name, &Operator::name);
  return found == all.end() ? nullptr : *found;
}

}  // namespace headrace::gpu
