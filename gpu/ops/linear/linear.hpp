#pragma once
// linear: y = x·Wᵀ + b, W is [out, in], b is [out] and optional; all FP32. x's last dimension is `in` and becomes
// `out`; dimensions before it are kept.
//
// Tolerance: of a float32 sum of `in` products in any order, with |x| ≤ linear_input_max: absolute, because terms
// cancel. The last bits may depend on how many rows are computed together; a row's values never touch another row. A
// NaN in x makes every output of its vector NaN; infinities follow arithmetic: 0·infinity and infinity - infinity are
// NaN. The CPU form takes subnormal numbers as zero (flush_subnormals.hpp); the tolerance covers it.

#include <memory>

#include "gpu/ops/step.hpp"

namespace headrace::gpu {

struct HostTensor;

/// The magnitude of inputs that the tolerance of `linear` speaks of.
inline constexpr double linear_input_max = 8;

class LinearStep final : public Step {
 public:
  struct Sizes {
    std::size_t in = 0;
    std::size_t out = 0;
    std::size_t vectors_per_row = 1;
  };

  /// `bias` may be null. The shapes fit (checked by bind). Memory that is aligned to 64 bytes is shared, other is
  /// copied.
  LinearStep(const TensorType& input, const HostTensor& weight, const HostTensor* bias);

  const Sizes& sizes() const noexcept { return sizes_; }
  /// Row-major [out, in].
  const float* weight() const noexcept { return weight_.get(); }
  /// [out], or null.
  const float* bias() const noexcept { return bias_.get(); }

  Tolerance tolerance() const noexcept override { return tolerance_; }
  std::size_t weight_bytes() const noexcept override;
  void reference(std::span<const double> in, std::span<double> out) const override;
  void run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept override;

 private:
  Tolerance bound_of_rounding() const noexcept;

  Sizes sizes_;
  std::shared_ptr<const float> weight_;
  std::shared_ptr<const float> bias_;
  Tolerance tolerance_;
};

}  // namespace headrace::gpu
