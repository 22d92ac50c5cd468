#pragma once
// Are these tensors the same? Pure.

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "proto/datatype.hpp"

namespace headrace::load {

struct TensorBytes {
  proto::Datatype datatype = proto::Datatype::fp32;
  std::span<const std::byte> bytes;  // any alignment
};

/// Says where `got` first differs from `want`, or nothing. The element counts must agree; the datatypes may differ, so
/// that FP32 answers can be held against values known in FP64. Integers and booleans must be equal. As soon as one side
/// is a float: |got - want| <= tolerance × max(1, |want|); NaN equals NaN, an infinity only itself. BYTES must be equal
/// byte by byte and only compare with BYTES.
std::optional<std::string> first_difference(TensorBytes got, TensorBytes want, double tolerance);

}  // namespace headrace::load
