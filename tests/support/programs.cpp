#include "tests/support/programs.hpp"

#include <cstring>
#include <stdexcept>
#include <utility>

#include "gpu/ops/generated.hpp"

namespace headrace::support {

gpu::TensorType fp32_row(std::initializer_list<std::int64_t> shape) { return {gpu::ElementType::f32, shape}; }

gpu::HostTensor fp32_weight(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  const auto owner = std::make_shared<std::vector<float>>(values);
  return {gpu::ElementType::f32, std::move(shape), reinterpret_cast<const std::byte*>(owner->data()), owner};
}

gpu::HostTensor fp32_weight(std::vector<std::int64_t> shape, std::uint64_t seed) {
  gpu::Generator generator(seed);
  return gpu::generated_weight(std::move(shape), generator);
}

std::shared_ptr<const gpu::Program> make_program(gpu::TensorType input, std::vector<gpu::StepSpec> steps) {
  gpu::ProgramSpec spec;
  spec.inputs.push_back({"x", std::move(input)});
  spec.steps = std::move(steps);
  spec.output_names.emplace_back("y");
  auto program = gpu::Program::build(std::move(spec));
  if (!program) throw std::invalid_argument(program.error().message);
  return std::move(*program);
}

std::shared_ptr<const gpu::Program> identity_program(gpu::TensorType input) {
  return make_program(std::move(input), {{"identity", {}}});
}

std::shared_ptr<const gpu::Program> affine_program(std::int64_t columns, double scale, double shift) {
  return make_program(fp32_row({columns}), {{"affine", {{"scale", scale}, {"shift", shift}}}});
}

std::shared_ptr<const gpu::Program> classifier_program() {
  return make_program(fp32_row({64}),
                      {{"affine", {{"scale", 0.0625}}},
                       {"linear", {{"weight", fp32_weight({128, 64}, 1)}, {"bias", fp32_weight({128}, 2)}}},
                       {"relu", {}},
                       {"linear", {{"weight", fp32_weight({10, 128}, 3)}, {"bias", fp32_weight({10}, 4)}}},
                       {"softmax", {}}});
}

std::vector<double> reference_row(const gpu::Program& program, std::span<const double> in) {
  std::vector<double> row(in.begin(), in.end());
  for (const auto& step : program.steps()) {
    std::vector<double> next(step->output().row_elements());
    step->reference(row, next);
    row = std::move(next);
  }
  return row;
}

}  // namespace headrace::support
