#pragma once
// Tensor data as JSON. Pure.

#include <cstddef>
#include <span>
#include <string>

#include "proto/datatype.hpp"

namespace headrace::load {

/// Appends `[…]`: the elements of `bytes` as a flat array, floats in their shortest exact form.
void append_json_data(std::string& text, proto::Datatype datatype, std::span<const std::byte> bytes);

}  // namespace headrace::load
