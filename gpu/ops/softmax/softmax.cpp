#include "gpu/ops/softmax/softmax.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/elementwise.hpp"
#include "gpu/ops/parameters.hpp"

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

/// e^x for x ≤ 0 within 2 units in the last place, in arithmetic that the compiler vectorises; results below the
/// smallest normal number become 0. NaN gives NaN.
inline float exp_nonpositive(float x) noexcept {
  constexpr float to_integer = 0x1.8p23f;  // adding it leaves the nearest integer in the low bits of the sum
  const float clamped = x < -87.0f ? -87.0f : x;
  const float shifted = clamped * 1.44269504f + to_integer;
  const float n = shifted - to_integer;
  const float r = (clamped - n * 0.693359375f) + n * 2.12194440e-4f;  // ln 2 in two pieces: n times the first is exact
  float p = 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const std::uint32_t power = (std::bit_cast<std::uint32_t>(shifted) + 127u) << 23;  // 2^n
  const float result = p * std::bit_cast<float>(power);
  return x < -87.0f ? 0.0f : result;
}

// Sums and maxima run in independent lanes: without them each step would wait for the one before.
constexpr std::size_t lanes = 8;

float maximum(const float* x, std::size_t width) noexcept {
  std::array<float, lanes> best;
  best.fill(-std::numeric_limits<float>::infinity());
  std::size_t i = 0;
  for (; i + lanes <= width; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) best[lane] = best[lane] < x[i + lane] ? x[i + lane] : best[lane];
  }
  for (; i < width; ++i) best[0] = best[0] < x[i] ? x[i] : best[0];
  return *std::ranges::max_element(best);
}

double sum(const float* x, std::size_t width) noexcept {
  std::array<double, lanes> partial{};
  std::size_t i = 0;
  for (; i + lanes <= width; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) partial[lane] += static_cast<double>(x[i + lane]);
  }
  for (; i < width; ++i) partial[0] += static_cast<double>(x[i]);
  double total = 0;
  for (const double part : partial) total += part;
  return total;
}

void softmax_vector(const float* x, float* y, std::size_t width) noexcept {
  const float most = maximum(x, width);
  transform_floats([most](float value) { return exp_nonpositive(value - most); }, x, y, width);
  const auto factor = static_cast<float>(1.0 / sum(y, width));
  transform_floats([factor](float value) { return value * factor; }, y, y, width);
}

}  // namespace

SoftmaxStep::SoftmaxStep(const TensorType& type)
    : Step("softmax", type, type),
      width_(type.row_shape.empty() ? 1 : static_cast<std::size_t>(type.row_shape.back())),
      vectors_per_row_(type.row_elements() / width_) {}

void SoftmaxStep::reference(std::span<const double> in, std::span<double> out) const {
  for (std::size_t begin = 0; begin < in.size(); begin += width_) {
    const auto x = in.subspan(begin, width_);
    const auto y = out.subspan(begin, width_);
    double most = -std::numeric_limits<double>::infinity();
    for (const double value : x) most = std::fmax(most, value);
    double total = 0;
    for (std::size_t i = 0; i < width_; ++i) total += y[i] = std::exp(x[i] - most);
    for (double& value : y) value /= total;
  }
}

void SoftmaxStep::run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept {
  const auto* x = reinterpret_cast<const float*>(in);
  auto* y = reinterpret_cast<float*>(out);
  for (std::size_t vector = 0; vector < rows * vectors_per_row_; ++vector) {
    softmax_vector(x + vector * width_, y + vector * width_, width_);
  }
}

const Operator& softmax_operator() noexcept {
  static constexpr Operator entry{"softmax", "y = exp(x - max x) / Σ exp(x - max x)", {}, bind, examples};
  return entry;
}

}  // namespace headrace::gpu
