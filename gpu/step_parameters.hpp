#pragma once
// A step's parameters against its operator's table: the one place that refuses unknown, missing and ill-typed ones, so
// that no operator has to. Pure.

#include <span>

#include "gpu/error.hpp"
#include "gpu/ops/catalogue.hpp"
#include "gpu/program.hpp"

namespace headrace::gpu {

/// On success every parameter is known, of its kind, and no required one is missing. A whole number given where a
/// number is expected has become a double; a weight has a shape of positive dimensions and data. Errors:
/// invalid_program naming the parameter, what was expected and what came, with the nearest known name for an unknown
/// one.
Result<void> check_parameters(std::span<const ParameterDescription> table, Parameters& parameters);

}  // namespace headrace::gpu
