#pragma once
// One operator under test: bound, refused or run on the CPU.

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/ops/step.hpp"
#include "gpu/program.hpp"
#include "tests/support/programs.hpp"

namespace headrace::gpu {

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float nan = std::numeric_limits<float>::quiet_NaN();

Result<std::shared_ptr<const Program>> build(TensorType input, StepSpec step);
/// The message with which the step is refused, or "accepted".
std::string refusal(TensorType input, StepSpec step);
/// The CPU form over as many rows as `in` holds.
std::vector<std::byte> run_bytes(const Step& step, std::span<const std::byte> in);
/// The same from FP32 to FP32.
std::vector<float> run(const Step& step, const std::vector<float>& in);
std::vector<float> run(TensorType input, StepSpec step, const std::vector<float>& in);
/// Nothing when the CPU form of those rows is within the step's tolerance, else what is not.
std::string disagreement(const Step& step, const std::vector<float>& in);

}  // namespace headrace::gpu
