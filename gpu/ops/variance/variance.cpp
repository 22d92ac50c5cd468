#include "gpu/ops/variance/variance.hpp"

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/reduce.hpp"
#include "gpu/ops/vector_step.hpp"

namespace headrace::gpu {

VarianceStep::VarianceStep(const TensorType& type)
    : Step("variance", type, without_last(type)), vectors_(vectors_of(type)) {}

void VarianceStep::reference(std::span<const double> in, std::span<double> out) const {
  const auto width = static_cast<double>(vectors_.width);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto x = in.subspan(i * vectors_.width, vectors_.width);
    double mean = 0;
    for (const double value : x) mean += value;
    mean /= width;
    double squares = 0;
    for (const double value : x) squares += (value - mean) * (value - mean);
    out[i] = squares / width;
  }
}

void VarianceStep::run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept {
  const auto* x = reinterpret_cast<const float*>(in);
  auto* y = reinterpret_cast<float*>(out);
  const std::size_t width = vectors_.width;
  for (std::size_t i = 0; i < rows * vectors_.per_row; ++i) {
    const float* const vector = x + i * width;
    const double squares = squares_around(mean_of(vector, width), vector, width);
    y[i] = static_cast<float>(squares / static_cast<double>(width));
  }
}

const Operator& variance_operator() noexcept {
  static constexpr Operator entry{
      "variance", "y = Σ (x - mean x)² / n", {}, bind_vectors<VarianceStep>, vector_examples<VarianceStep>};
  return entry;
}

}  // namespace headrace::gpu
