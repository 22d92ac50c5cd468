#include "gpu/ops/softmax/softmax.hpp"

#include <cmath>
#include <limits>

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/elementwise.hpp"
#include "gpu/ops/math.hpp"
#include "gpu/ops/parameters.hpp"
#include "gpu/ops/reduce.hpp"

namespace headrace::gpu {
namespace {

Result<std::unique_ptr<const Step>> bind(const StepSpec&, const TensorType& input) {
  if (auto fits = require_element(input, {ElementType::f32}); !fits) return tl::unexpected(std::move(fits.error()));
  return std::make_unique<SoftmaxStep>(input);
}

std::vector<std::unique_ptr<const Step>> examples(std::uint64_t) {
  std::vector<std::unique_ptr<const Step>> steps;
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{10}, {1}, {33}, {1000}, {1500}, {3, 7}}) {
    steps.push_back(std::make_unique<SoftmaxStep>(TensorType{ElementType::f32, shape}));
  }
  return steps;
}

struct Largest {
  using Value = float;
  static Value neutral() noexcept { return -std::numeric_limits<float>::infinity(); }
  static Value combine(Value a, Value b) noexcept { return a < b ? b : a; }  // passes NaN by
};

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
  static constexpr Operator entry{"softmax", "y = exp(x - max x) / Σ exp(x - max x)", {}, bind, examples};
  return entry;
}

}  // namespace headrace::gpu
