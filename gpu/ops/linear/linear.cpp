#include "gpu/ops/linear/linear.hpp"

#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <Eigen/Core>
#include <new>

#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/flush_subnormals.hpp"
#include "gpu/ops/generated.hpp"
#include "gpu/ops/parameters.hpp"

namespace headrace::gpu {
namespace {

constexpr std::size_t weight_alignment = 64;

constexpr std::array parameters{
    ParameterDescription{"weight", ParameterKind::weight, true, "FP32 [out, in]"},
    ParameterDescription{"bias", ParameterKind::weight, false, "FP32 [out]; default none"},
};

tl::unexpected<Error> refuse(std::string message) { return fail(ErrorKind::invalid_program, std::move(message)); }

Result<std::unique_ptr<const Step>> bind(const StepSpec& spec, const TensorType& input) {
  if (auto fits = require_element(input, {ElementType::f32}); !fits) return tl::unexpected(std::move(fits.error()));
  auto weight = weight_parameter(spec, "weight", ElementType::f32, 2);
  if (!weight) return tl::unexpected(std::move(weight.error()));
  auto bias = weight_parameter(spec, "bias", ElementType::f32, 1);
  if (!bias) return tl::unexpected(std::move(bias.error()));
  assert(*weight != nullptr);  // required
  const auto& shape = (*weight)->shape;
  if (input.row_shape.empty() || input.row_shape.back() != shape[1]) {
    return refuse("input: expected a last dimension of " + std::to_string(shape[1]) + " as weight " +
                  shape_text(shape) + " has it, got " + input.to_string());
  }
  if (*bias != nullptr && (*bias)->shape[0] != shape[0]) {
    return refuse("bias: expected [" + std::to_string(shape[0]) + "] as weight " + shape_text(shape) + " has it, got " +
                  shape_text((*bias)->shape));
  }
  return std::make_unique<LinearStep>(input, **weight, *bias);
}

std::vector<std::unique_ptr<const Step>> examples(std::uint64_t seed) {
  Generator generator(seed);
  std::vector<std::unique_ptr<const Step>> steps;
  const auto add = [&](std::vector<std::int64_t> row_shape, std::int64_t out, bool with_bias) {
    const std::int64_t in = row_shape.back();
    const HostTensor weight = generated_weight({out, in}, generator);
    const HostTensor bias = generated_weight({out}, generator);
    steps.push_back(std::make_unique<LinearStep>(TensorType{ElementType::f32, std::move(row_shape)}, weight,
                                                 with_bias ? &bias : nullptr));
  };
  add({64}, 128, true);
  add({128}, 10, true);
  add({1}, 1, false);
  add({37}, 5, true);
  add({3, 7}, 4, true);
  add({257}, 67, false);
  return steps;
}

std::shared_ptr<const float> aligned_floats(const HostTensor& tensor) {
  if (reinterpret_cast<std::uintptr_t>(tensor.data) % weight_alignment == 0 && tensor.owner) {
    return {tensor.owner, reinterpret_cast<const float*>(tensor.data)};
  }
  const auto free = [](float* data) { ::operator delete[](data, std::align_val_t{weight_alignment}); };
  const std::size_t bytes = tensor.elements() * sizeof(float);
  std::shared_ptr<float> copy(static_cast<float*>(::operator new[](bytes, std::align_val_t{weight_alignment})), free);
  std::memcpy(copy.get(), tensor.data, bytes);
  return copy;
}

TensorType with_last_dimension(TensorType type, std::int64_t last) {
  type.row_shape.back() = last;
  return type;
}

}  // namespace

LinearStep::LinearStep(const TensorType& input, const HostTensor& weight, const HostTensor* bias)
    : Step("linear", input, with_last_dimension(input, weight.shape[0])),
      sizes_{static_cast<std::size_t>(weight.shape[1]), static_cast<std::size_t>(weight.shape[0]),
             input.row_elements() / static_cast<std::size_t>(weight.shape[1])},
      weight_(aligned_floats(weight)),
      bias_(bias == nullptr ? nullptr : aligned_floats(*bias)),
      tolerance_(bound_of_rounding()) {}

Tolerance LinearStep::bound_of_rounding() const noexcept {
  double heaviest = 0;
  for (std::size_t o = 0; o < sizes_.out; ++o) {
    double row = bias_ ? std::abs(static_cast<double>(bias_.get()[o])) : 0;
    for (std::size_t k = 0; k < sizes_.in; ++k) {
      row += linear_input_max * std::abs(static_cast<double>(weight_.get()[o * sizes_.in + k]));
    }
    if (row > heaviest) heaviest = row;
  }
  // The CPU form takes each subnormal product, and sum, as zero.
  const double subnormals = static_cast<double>(2 * sizes_.in + 1) * 0x1p-126;
  return {4 * std::sqrt(static_cast<double>(sizes_.in + 1)) * 0x1p-24 * heaviest + subnormals, 0x1p-22};
}

std::size_t LinearStep::weight_bytes() const noexcept {
  return (sizes_.in * sizes_.out + (bias_ ? sizes_.out : 0)) * sizeof(float);
}

void LinearStep::reference(std::span<const double> in, std::span<double> out) const {
  for (std::size_t vector = 0; vector < sizes_.vectors_per_row; ++vector) {
    for (std::size_t o = 0; o < sizes_.out; ++o) {
      double y = bias_ ? static_cast<double>(bias_.get()[o]) : 0;
      for (std::size_t k = 0; k < sizes_.in; ++k) {
        y += in[vector * sizes_.in + k] * static_cast<double>(weight_.get()[o * sizes_.in + k]);
      }
      out[vector * sizes_.out + o] = y;
    }
  }
}

void LinearStep::run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept {
  if (rows == 0) return;
  const FlushSubnormals flush;
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto vectors = static_cast<Eigen::Index>(rows * sizes_.vectors_per_row);
  const auto in_size = static_cast<Eigen::Index>(sizes_.in);
  const auto out_size = static_cast<Eigen::Index>(sizes_.out);
  const Eigen::Map<const Matrix, Eigen::Aligned64> x(reinterpret_cast<const float*>(in), vectors, in_size);
  const Eigen::Map<const Matrix, Eigen::Aligned64> w(weight_.get(), out_size, in_size);
  Eigen::Map<Matrix, Eigen::Aligned64> y(reinterpret_cast<float*>(out), vectors, out_size);
  y.noalias() = x * w.transpose();
  if (bias_) y.rowwise() += Eigen::Map<const Eigen::RowVectorXf, Eigen::Aligned64>(bias_.get(), out_size);
}

const Operator& linear_operator() noexcept {
  static constexpr Operator entry{"linear", "y = x·Wᵀ + b", parameters, bind, examples};
  return entry;
}

}  // namespace headrace::gpu
