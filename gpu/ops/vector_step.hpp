#pragma once
// bind and examples of an FP32 operator without parameters over the last dimension.

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/ops/parameters.hpp"
#include "gpu/ops/step.hpp"

namespace headrace::gpu {

template <class VectorStep>
Result<std::unique_ptr<const Step>> bind_vectors(const StepSpec&, const TensorType& input) {
  if (auto fits = require_element(input, {ElementType::f32}); !fits) return tl::unexpected(std::move(fits.error()));
  return std::make_unique<VectorStep>(input);
}

/// Widths on both sides of every choice that a device makes by width.
inline constexpr std::array<std::int64_t, 6> example_widths{1, 10, 33, 256, 1000, 1500};

template <class VectorStep>
std::vector<std::unique_ptr<const Step>> vector_examples(std::uint64_t) {
  std::vector<std::unique_ptr<const Step>> steps;
  for (const std::int64_t width : example_widths) {
    steps.push_back(std::make_unique<VectorStep>(TensorType{ElementType::f32, {width}}));
  }
  steps.push_back(std::make_unique<VectorStep>(TensorType{ElementType::f32, {2, 3, 7}}));
  steps.push_back(std::make_unique<VectorStep>(TensorType{ElementType::f32, {}}));
  return steps;
}

}  // namespace headrace::gpu
