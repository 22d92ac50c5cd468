#include "gpu/ops/identity/identity.hpp"

#include <algorithm>
#include <cstring>

#include "gpu/ops/catalogue.hpp"
#include "gpu/program.hpp"

namespace headrace::gpu {
namespace {

Result<std::unique_ptr<const Step>> bind(const StepSpec&, const TensorType& input) {
  return std::make_unique<IdentityStep>(input);
}

std::vector<std::unique_ptr<const Step>> examples(std::uint64_t) {
  std::vector<std::unique_ptr<const Step>> steps;
  for (int element = 0; element <= static_cast<int>(ElementType::f64); ++element) {
    steps.push_back(std::make_unique<IdentityStep>(TensorType{static_cast<ElementType>(element), {3, 5}}));
  }
  steps.push_back(std::make_unique<IdentityStep>(TensorType{ElementType::u8, {1}}));
  steps.push_back(std::make_unique<IdentityStep>(TensorType{ElementType::f32, {256}}));
  return steps;
}

}  // namespace

IdentityStep::IdentityStep(const TensorType& type) : Step("identity", type, type) {}

void IdentityStep::reference(std::span<const double> in, std::span<double> out) const {
  std::ranges::copy(in, out.begin());
}

void IdentityStep::run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept {
  if (in != out && rows != 0) std::memcpy(out, in, rows * input().row_bytes());
}

const Operator& identity_operator() noexcept {
  static constexpr Operator entry{"identity", "y = x", {}, bind, examples};
  return entry;
}

}  // namespace headrace::gpu
