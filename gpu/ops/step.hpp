#pragma once
// One operator bound to its parameters, weights and input type: what a program is a chain of.
//
// Each operator is a slice gpu/ops/<name>/ of four parts: its contract (<name>.hpp: what it computes, shapes,
// datatypes, tolerance, NaN rules), a plain float64 reference, the CPU form (both in <name>.cpp), and the CUDA form
// (<name>.cu).

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "gpu/ops/tolerance.hpp"
#include "gpu/tensor_type.hpp"

namespace headrace::gpu {

class Step {
 public:
  Step(std::string_view op, TensorType input, TensorType output);
  virtual ~Step() = default;
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  /// The operator's name in the catalogue; static storage.
  std::string_view op() const noexcept { return op_; }
  const TensorType& input() const noexcept { return input_; }
  const TensorType& output() const noexcept { return output_; }

  virtual Tolerance tolerance() const noexcept = 0;
  /// Bytes of weights that a device keeps for this step.
  virtual std::size_t weight_bytes() const noexcept { return 0; }

  /// The definition, one row, in float64, written plainly: what every device is held to.
  virtual void reference(std::span<const double> in, std::span<double> out) const = 0;

  /// The CPU form: `rows` contiguous rows, both pointers aligned to 64 bytes, never overlapping unless equal
  /// (in place is allowed only when input and output rows have the same size and `in_place()` says so).
  /// Thread-safe; allocates nothing.
  virtual void run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept = 0;
  virtual bool in_place() const noexcept { return false; }

 private:
  std::string_view op_;
  TensorType input_;
  TensorType output_;
};

}  // namespace headrace::gpu
