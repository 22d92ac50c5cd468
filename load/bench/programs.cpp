#include "load/bench/programs.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "gpu/ops/generated.hpp"

namespace headrace::bench {
namespace {

ProgramPtr build(std::int64_t columns, std::vector<gpu::StepSpec> steps) {
  gpu::ProgramSpec spec;
  spec.inputs.push_back({"x", {gpu::ElementType::f32, {columns}}});
  spec.steps = std::move(steps);
  spec.output_names.emplace_back("y");
  auto program = gpu::Program::build(std::move(spec));
  if (!program) throw std::invalid_argument(program.error().message);
  return std::move(*program);
}

}  // namespace

ProgramPtr identity_program(std::int64_t columns) { return build(columns, {{"identity", {}}}); }

ProgramPtr affine_program(std::int64_t columns) {
  return build(columns, {{"affine", {{"scale", 2.0}, {"shift", 1.0}}}});
}

ProgramPtr classifier_program() {
  gpu::Generator generator(1);
  const auto weight = [&generator](std::vector<std::int64_t> shape) {
    return gpu::generated_weight(std::move(shape), generator);
  };
  return build(64, {{"affine", {{"scale", 0.0625}}},
                    {"linear", {{"weight", weight({128, 64})}, {"bias", weight({128})}}},
                    {"relu", {}},
                    {"linear", {{"weight", weight({10, 128})}, {"bias", weight({10})}}},
                    {"softmax", {}}});
}

ProgramPtr wide_program(std::int64_t width, int layers) {
  gpu::Generator generator(2);
  std::vector<gpu::StepSpec> steps;
  for (int layer = 0; layer < layers; ++layer) {
    // Keeps the values near 1: a sum of `width` products with weights in [-1, 1) grows by the root of a third of it.
    steps.push_back({"linear", {{"weight", gpu::generated_weight({width, width}, generator)}}});
    steps.push_back({"affine", {{"scale", std::sqrt(3.0 / static_cast<double>(width))}}});
  }
  return build(width, std::move(steps));
}

}  // namespace headrace::bench
