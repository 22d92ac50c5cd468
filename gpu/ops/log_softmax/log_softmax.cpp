#include "gpu/ops/log_softmax/log_softmax.hpp"

#include <cmath>
#include <limits>

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/elementwise.hpp"
#include "gpu/ops/math.hpp"
#include "gpu/ops/reduce.hpp"
#include "gpu/ops/vector_step.hpp"

namespace headrace::gpu {

LogSoftmaxStep::LogSoftmaxStep(const TensorType& type) : Step("log_softmax", type, type), vectors_(vectors_of(type)) {}

void LogSoftmaxStep::reference(std::span<const double> in, std::span<double> out) const {
  for (std::size_t begin = 0; begin < in.size(); begin += vectors_.width) {
    const auto x = in.subspan(begin, vectors_.width);
    double most = -std::numeric_limits<double>::infinity();
    for (const double value : x) most = std::fmax(most, value);
    double total = 0;
    for (const double value : x) total += std::exp(value - most);
    for (std::size_t i = 0; i < x.size(); ++i) out[begin + i] = x[i] - most - std::log(total);
  }
}

void LogSoftmaxStep::run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept {
  const auto* x = reinterpret_cast<const float*>(in);
  auto* y = reinterpret_cast<float*>(out);
  const std::size_t width = vectors_.width;
  for (std::size_t i = 0; i < rows * vectors_.per_row; ++i) {
    const float* const vector = x + i * width;
    const float most = reduce<Largest>(vector, width, [](float value) { return value; });
    const double total =
        reduce<Addition>(vector, width, [most](float value) { return static_cast<double>(exponential(value - most)); });
    const auto rest = static_cast<float>(std::log(total));
    transform_floats([=](float value) { return (value - most) - rest; }, vector, y + i * width, width);
  }
}

const Operator& log_softmax_operator() noexcept {
  static constexpr Operator entry{"log_softmax",
                                  "y = x - max x - ln Σ exp(x - max x)",
                                  {},
                                  bind_vectors<LogSoftmaxStep>,
                                  vector_examples<LogSoftmaxStep>};
  return entry;
}

}  // namespace headrace::gpu
