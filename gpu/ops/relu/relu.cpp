#include "gpu/ops/relu/relu.hpp"

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/elementwise.hpp"
#include "gpu/ops/parameters.hpp"

namespace headrace::gpu {
namespace {

Result<std::unique_ptr<const Step>> bind(const StepSpec&, const TensorType& input) {
  if (auto fits = require_element(input, {ElementType::f32}); !fits) return tl::unexpected(std::move(fits.error()));
  return std::make_unique<ReluStep>(input);
}

std::vector<std::unique_ptr<const Step>> examples(std::uint64_t) {
  std::vector<std::unique_ptr<const Step>> steps;
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{128}, {1}, {3, 5}}) {
    steps.push_back(std::make_unique<ReluStep>(TensorType{ElementType::f32, shape}));
  }
  return steps;
}

}  // namespace

ReluStep::ReluStep(const TensorType& type) : Step("relu", type, type) {}

void ReluStep::reference(std::span<const double> in, std::span<double> out) const {
  reference_elementwise(expression_, in, out);
}

void ReluStep::run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept {
  run_elementwise(expression_, in, out, rows * input().row_elements());
}

const Operator& relu_operator() noexcept {
  static constexpr Operator entry{"relu", "y = max(x, 0)", {}, bind, examples};
  return entry;
}

}  // namespace headrace::gpu
