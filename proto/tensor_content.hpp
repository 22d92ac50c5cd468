#pragma once
// Whether the content of an input tensor fits its datatype and shape, and how messages name it.

#include <cstdint>
#include <string>
#include <string_view>

#include "proto/array_walk.hpp"
#include "proto/infer_request.hpp"

namespace headrace::proto {

/// "inputs[0].data ('image')", without the name while it is unknown.
std::string where(const InputTensor& input, std::string_view field);

/// elements × item_bytes of a fixed-size datatype; invalid_argument when the product does not fit 63 bits.
Result<std::uint64_t> content_bytes(const InputTensor& input);

/// Binary content: the exact size, or for BYTES a walk over elements of 4-byte little-endian length and content.
Result<void> check_blob(const InputTensor& input);

/// The message for a walk that failed or did not meet `elements_expected` values.
Result<void> check_walk(const InputTensor& input, const ArrayWalk& walk, std::uint64_t elements_expected,
                        std::string_view element_expected);

/// JSON content, not yet decoded: refuses a text that is too short for the shape's elements, so that a short request
/// cannot claim a large tensor.
Result<void> check_json_length(const InputTensor& input);

}  // namespace headrace::proto
