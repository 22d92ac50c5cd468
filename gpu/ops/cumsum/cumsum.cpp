#include "gpu/ops/cumsum/cumsum.hpp"

#include "gpu/ops/catalogue.hpp"

#include "gpu/ops/vector_step.hpp"

namespace headrace::gpu {

CumsumStep::CumsumStep(const TensorType& type) : Step("cumsum", type, type), vectors_(vectors_of(type)) {}

void CumsumStep::reference(std::span<const double> in, std::span<double> out) const {
  for (std::size_t begin = 0; begin < in.size(); begin += vectors_.width) {
    double total = 0;
    for (std::size_t i = begin; i < begin + vectors_.width; ++i) out[i] = total += in[i];
  }
}

void CumsumStep::run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept {
  const auto* x = reinterpret_cast<const float*>(in);
  auto* y = reinterpret_cast<float*>(out);
  for (std::size_t i = 0; i < rows * vectors_.per_row; ++i) {
    double total = 0;
    for (std::size_t at = i * vectors_.width; at < (i + 1) * vectors_.width; ++at) {
      total += static_cast<double>(x[at]);
      y[at] = static_cast<float>(total);
    }
  }
}

const Operator& cumsum_operator() noexcept {
  static constexpr Operator entry{
      "cumsum", "y_i = x_1 + … + x_i", {}, bind_vectors<CumsumStep>, vector_examples<CumsumStep>};
  return entry;
}

}  // namespace headrace::gpu
