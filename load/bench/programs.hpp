#pragma once
// The programs that are measured. Their answers are computed in float64 beside them, so that no broken flight counts.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpu/program.hpp"

namespace headrace::bench {

using ProgramPtr = std::shared_ptr<const gpu::Program>;

/// The rows as they are, FP32[columns].
ProgramPtr identity_program(std::int64_t columns);
/// y = 2x + 1 over FP32[columns]: one pass, as the raw programs beside it do.
ProgramPtr affine_program(std::int64_t columns);
/// The chain of deploy/models/digits, FP32[64] to FP32[10], with generated weights.
ProgramPtr classifier_program();
/// `layers` square linear steps over FP32[width]: much arithmetic for each byte.
ProgramPtr wide_program(std::int64_t width, int layers);

}  // namespace headrace::bench
