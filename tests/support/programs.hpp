#pragma once
// Short ways to write a program in a test.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "gpu/program.hpp"

namespace headrace::support {

gpu::TensorType fp32_row(std::initializer_list<std::int64_t> shape);

/// A weight that owns its values.
gpu::HostTensor fp32_weight(std::vector<std::int64_t> shape, const std::vector<float>& values);
/// Values in [-1, 1), the same for the same seed.
gpu::HostTensor fp32_weight(std::vector<std::int64_t> shape, std::uint64_t seed);

/// One input "x", one output "y". Throws std::invalid_argument with the message of Program::build.
std::shared_ptr<const gpu::Program> make_program(gpu::TensorType input, std::vector<gpu::StepSpec> steps);

std::shared_ptr<const gpu::Program> identity_program(gpu::TensorType input);
/// y = scale·x + shift over FP32[columns].
std::shared_ptr<const gpu::Program> affine_program(std::int64_t columns, double scale, double shift);
/// affine, linear, relu, linear, softmax: FP32[64] to FP32[10], as the digits model has it, with generated weights.
std::shared_ptr<const gpu::Program> classifier_program();

/// The whole chain by each step's float64 reference, one row; in and out in the program's own element type (FP32 or
/// FP64).
std::vector<double> reference_row(const gpu::Program& program, std::span<const double> in);

}  // namespace headrace::support
