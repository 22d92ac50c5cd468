#include "gpu/ops/softmax/softmax.hpp"

#include <cmath>
#include <limits>

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/elementwise.hpp"
#include "gpu/ops/math.hpp"
#include "gpu/ops/reduce.hpp"
#include "gpu/ops/vector_step.hpp"

namespace headrace::gpu {
namespace {

void softmax_vector(const float* x, float* y, std::size_t width) noexcept {
  const float most = reduce<Largest>(x, width, [](float value) { return value; });
  transform_floats([most](float value) { return exponential(value - most); }, x, y, width);
  const double total = reduce<Addition>(y, width, [](float value) { return static_cast<double>(value); });
  const auto factor = static_cast<float>(1.0 / total);
  transform_floats([factor](float value) { return value * factor; }, y, y, width);
}

}  // namespace

SoftmaxStep::SoftmaxStep(const TensorType& type) : Step("softmax", type, type), vectors_(vectors_of(type)) {}

void SoftmaxStep::reference(std::span<const double> in, std::span<double> out) const {
  for (std::size_t begin = 0; begin < in.size(); begin += vectors_.width) {
    const auto x = in.subspan(begin, vectors_.width);
    const auto y = out.subspan(begin, vectors_.width);
    double most = -std::numeric_limits<double>::infinity();
    for (const double value : x) most = std::fmax(most, value);
    double total = 0;
    for (std::size_t i = 0; i < vectors_.width; ++i) total += y[i] = std::exp(x[i] - most);
    for (double& value : y) value /= total;
  }
}

void SoftmaxStep::run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept {
  const auto* x = reinterpret_cast<const float*>(in);
  auto* y = reinterpret_cast<float*>(out);
  for (std::size_t vector = 0; vector < rows * vectors_.per_row; ++vector) {
    softmax_vector(x + vector * vectors_.width, y + vector * vectors_.width, vectors_.width);
  }
}

const Operator& softmax_operator() noexcept {
  static constexpr Operator entry{
      "softmax", "y = exp(x - max x) / Σ exp(x - max x)", {}, bind_vectors<SoftmaxStep>, vector_examples<SoftmaxStep>};
  return entry;
}

}  // namespace headrace::gpu
