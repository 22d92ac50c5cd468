#pragma once
// How far a device's answer may be from an operator's float64 reference.

namespace headrace::gpu {

/// |got − want| ≤ absolute + relative·|want| holds for every element; both 0 means bit for bit.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

/// What one FP32 operation that rounds to nearest may cost, below the normal numbers too; doubled, because the
/// reference rounds as well.
inline constexpr Tolerance one_rounding{0x1p-149, 0x1p-23};

}  // namespace headrace::gpu
