#pragma once
// Holding an implementation to a step's float64 reference: input rows that reach the edges, and the comparison.
// Used by the conformance suite and by `headrace verify`.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gpu/ops/generated.hpp"
#include "gpu/ops/step.hpp"

namespace headrace::gpu {

enum class RowKind : std::uint8_t {
  random,  // floating point within [-4, 4); any bit pattern of other types
  edges,   // the same with one special value a row: ±0, ±infinity, NaN, subnormal, smallest and largest normal
};

/// Fills `rows` (a whole number of rows of `type`). Integers of 64 bits stay within ±2^53, which float64 holds exactly.
void fill_rows(const TensorType& type, RowKind kind, Generator& generator, std::span<std::byte> rows);

/// The element at that address, which may have any alignment, as float64.
double element_value(ElementType type, const std::byte* element) noexcept;

/// Nothing when every element of `out` is within step.tolerance() of the reference of `in`; else one line that names
/// the first row and element that is not, what was wanted and what came. NaN matches NaN; an infinity matches itself
/// and a reference that FP32 rounds to it.
std::optional<std::string> find_mismatch(const Step& step, std::span<const std::byte> in,
                                         std::span<const std::byte> out, std::size_t rows);

}  // namespace headrace::gpu
