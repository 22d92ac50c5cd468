#pragma once
// A chain of element-wise expressions that one kernel interprets: neighbours in a program cost one pass over the rows
// instead of one each, without compiling anything at run time. Written for host and device, so that it is tested
// without a GPU.

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "gpu/ops/expressions.hpp"
#include "gpu/ops/host_device.hpp"

namespace headrace::gpu::cuda {

enum class ExpressionKind : std::uint32_t {
#define HEADRACE_ELEMENTWISE(name, type) name,
#include "gpu/ops/elementwise.def"
#undef HEADRACE_ELEMENTWISE
};

/// One expression with its parameters, as bytes.
struct ChainLink {
  static constexpr std::size_t parameter_bytes = 8;

  ExpressionKind kind{};
  alignas(4) std::array<unsigned char, parameter_bytes> parameters{};

  template <class Expression>
  static ChainLink of(ExpressionKind kind, const Expression& expression) noexcept {
    static_assert(std::is_trivially_copyable_v<Expression> && sizeof(Expression) <= parameter_bytes);
    ChainLink link{kind, {}};
    if constexpr (!std::is_empty_v<Expression>) std::memcpy(&link.parameters, &expression, sizeof(Expression));
    return link;
  }
};

// Overloads by expression type, so that an operator need not name its kind twice.
#define HEADRACE_ELEMENTWISE(name, type) \
  inline ChainLink link_of(const type& expression) noexcept { return ChainLink::of(ExpressionKind::name, expression); }
#include "gpu/ops/elementwise.def"
#undef HEADRACE_ELEMENTWISE

/// Passed to kernels by value.
struct Chain {
  static constexpr std::uint32_t links_max = 16;

  std::uint32_t count = 0;
  ChainLink links[links_max];

  /// False when it is full: another chain has to follow.
  bool append(const ChainLink& link) noexcept {
    if (count == links_max) return false;
    links[count++] = link;
    return true;
  }

  /// Each of `values` through every link, in order.
  template <int n>
  HEADRACE_HOST_DEVICE void apply(float (&values)[n]) const {
    for (std::uint32_t i = 0; i < count; ++i) {
      switch (links[i].kind) {
#define HEADRACE_ELEMENTWISE(name, type) \
  case ExpressionKind::name: apply_link<type>(links[i], values); break;
#include "gpu/ops/elementwise.def"
#undef HEADRACE_ELEMENTWISE
      }
    }
  }

 private:
  template <class Expression, int n>
  HEADRACE_HOST_DEVICE static void apply_link(const ChainLink& link, float (&values)[n]) {
    Expression expression;
    if constexpr (!std::is_empty_v<Expression>) {
      memcpy(static_cast<void*>(&expression), &link.parameters, sizeof(Expression));
    }
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int k = 0; k < n; ++k) values[k] = expression(values[k]);
  }
};

}  // namespace headrace::gpu::cuda
