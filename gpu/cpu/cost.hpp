#pragma once
// How much work a row is, roughly: what decides whether a flight is worth waking a worker. Pure.

#include <cstdint>

#include "gpu/program.hpp"

namespace headrace::gpu::cpu {

/// Floating-point operations of one row, estimated without knowing the operators: a step touches each element of its
/// input and output once, and multiplies and adds once per 4 bytes of weights. At least 1.
std::uint64_t row_flops(const Program& program) noexcept;

}  // namespace headrace::gpu::cpu
