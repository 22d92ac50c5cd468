#pragma once
// identity: y = x, for every element type and row shape, bit for bit (NaN payloads, -0 and subnormals included).
// Costs nothing on a device that can skip it: rows go from ingest straight to egress.

#include "gpu/ops/step.hpp"

namespace headrace::gpu {

class IdentityStep final : public Step {
 public:
  explicit IdentityStep(const TensorType& type);

  Tolerance tolerance() const noexcept override { return {}; }
  void reference(std::span<const double> in, std::span<double> out) const override;
  void run(const std::byte* in, std::byte* out, std::size_t rows) const noexcept override;
  bool in_place() const noexcept override { return true; }
};

}  // namespace headrace::gpu
