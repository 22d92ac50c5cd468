#pragma once
// The functions that expressions are made of. In float64 they are the standard library's: the reference. In FP32 they
// are CUDA's on the device; on the host, where the standard library's keep a loop from being vectorised, they are
// arithmetic without branches, within 4 units in the last place unless said otherwise. NaN gives NaN.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "gpu/ops/host_device.hpp"

namespace headrace::gpu {

namespace lanes {

inline constexpr float ln2_high = 0.693359375f;  // times a whole number of up to 9 bits it is exact
inline constexpr float ln2_low = -2.12194440e-4f;

inline float power_of_two(std::int32_t exponent) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
}

/// e^x = 2^n · e^r with r within ±ln 2 / 2. The power is applied in halves, so that results reach infinity and the
/// subnormals.
inline float exponential(float x) noexcept {
  constexpr float to_integer = 0x1.8p23f;  // adding it leaves the nearest integer in the low bits of the sum
  const float above = x < -104.0f ? -104.0f : x;
  const float clamped = above > 89.0f ? 89.0f : above;
  const float shifted = clamped * 1.44269504f + to_integer;
  const float n = shifted - to_integer;
  const float r = (clamped - n * ln2_high) - n * ln2_low;
  float p = 1.0f / 5040;
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const auto whole =
      static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(to_integer));
  const std::int32_t half = whole >> 1;
  return p * power_of_two(half) * power_of_two(whole - half);
}

/// log x = n·ln 2 + log m with m between √½ and √2; log m = 2·artanh s with s = (m − 1) / (m + 1).
inline float logarithm(float x) noexcept {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr std::uint32_t root_of_half = 0x3f3504f3u;  // √½ as bits
  const bool subnormal = x < 0x1p-126f;
  const auto bits = std::bit_cast<std::uint32_t>(subnormal ? x * 0x1p23f : x);
  const std::int32_t exponent = static_cast<std::int32_t>(bits - root_of_half) >> 23;
  const float m = std::bit_cast<float>(bits - (static_cast<std::uint32_t>(exponent) << 23));
  const float n = static_cast<float>(exponent) - (subnormal ? 23.0f : 0.0f);
  const float s = (m - 1.0f) / (m + 1.0f);
  const float z = s * s;
  const float series = 2.0f / 3 + z * (2.0f / 5 + z * (2.0f / 7 + z * (2.0f / 9)));
  const float result = n * ln2_high + (n * ln2_low + (2.0f * s + s * z * series));
  const float positive = x < infinity ? result : x;
  const float other = x == 0.0f ? -infinity : std::numeric_limits<float>::quiet_NaN();
  return x > 0.0f ? positive : other;
}

inline float hyperbolic_tangent(float x) noexcept {
  const float size = x < 0.0f ? -x : x;
  const float u = x * x;
  float p = 0x1.2c90ecp-9f;  // (tanh x / x − 1) / x² by powers of x², fitted up to 0.625
  p = p * u - 0x1.116b28p-7f;
  p = p * u + 0x1.64a910p-6f;
  p = p * u - 0x1.ba08aap-5f;
  p = p * u + 0x1.1110e8p-3f;
  p = p * u - 0x1.555556p-2f;
  const float small = x * (1.0f + u * p);
  const float large = 1.0f - 2.0f / (exponential(2.0f * size) + 1.0f);
  const float with_sign = x < 0.0f ? -large : large;
  return size < 0.625f ? small : with_sign;
}

/// ½·erfc(−x/√2), within 1e-7. erfc z = t·e^(P(t) − z²) with t = 1 / (1 + z/2); P fitted up to z = 10.
inline float normal_distribution(float x) noexcept {
  const float size = x < 0.0f ? -x : x;
  const float z = size * 0.707106781f;
  const float t = 1.0f / (1.0f + 0.5f * z);
  float p = 0.144930213f;
  p = p * t - 0.680827173f;
  p = p * t + 1.15673375f;
  p = p * t - 0.696251888f;
  p = p * t - 0.0802804401f;
  p = p * t + 0.00126759001f;
  p = p * t + 0.0346027989f;
  p = p * t + 0.386640412f;
  p = p * t + 0.998632783f;
  p = p * t - 1.265448f;
  const float tail = 0.5f * t * exponential(p - z * z);
  return x < 0.0f ? tail : 1.0f - tail;
}

inline float square_root(float x) noexcept {
#if defined(__clang__)
  return __builtin_elementwise_sqrt(x);  // std::sqrt may set errno, which no vector instruction does
#else
  return std::sqrt(x);
#endif
}

}  // namespace lanes

// In a kernel: CUDA's function of that name. nvcc's pass over host code and every other compiler: the ones above.
#if defined(__CUDA_ARCH__)
#define HEADRACE_FP32(on_device, on_host) on_device
#else
#define HEADRACE_FP32(on_device, on_host) on_host
#endif

HEADRACE_HOST_DEVICE inline double exponential(double x) { return std::exp(x); }
HEADRACE_HOST_DEVICE inline float exponential(float x) { return HEADRACE_FP32(expf(x), lanes::exponential(x)); }

HEADRACE_HOST_DEVICE inline double logarithm(double x) { return std::log(x); }
HEADRACE_HOST_DEVICE inline float logarithm(float x) { return HEADRACE_FP32(logf(x), lanes::logarithm(x)); }

HEADRACE_HOST_DEVICE inline double hyperbolic_tangent(double x) { return std::tanh(x); }
HEADRACE_HOST_DEVICE inline float hyperbolic_tangent(float x) {
  return HEADRACE_FP32(tanhf(x), lanes::hyperbolic_tangent(x));
}

/// The share of a standard normal distribution that is below x.
HEADRACE_HOST_DEVICE inline double normal_distribution(double x) {
  return 0.5 * std::erfc(x * -0.70710678118654752440);
}
HEADRACE_HOST_DEVICE inline float normal_distribution(float x) {
  return HEADRACE_FP32(normcdff(x), lanes::normal_distribution(x));
}

HEADRACE_HOST_DEVICE inline double absolute(double x) { return std::fabs(x); }
HEADRACE_HOST_DEVICE inline float absolute(float x) { return std::fabs(x); }

HEADRACE_HOST_DEVICE inline double square_root(double x) { return std::sqrt(x); }
HEADRACE_HOST_DEVICE inline float square_root(float x) { return HEADRACE_FP32(sqrtf(x), lanes::square_root(x)); }

/// Not vectorised on the host: the standard library's, for the sake of its edge rules.
HEADRACE_HOST_DEVICE inline double power(double x, double exponent) { return std::pow(x, exponent); }
HEADRACE_HOST_DEVICE inline float power(float x, float exponent) {
  return HEADRACE_FP32(powf(x, exponent), std::pow(x, exponent));
}

#undef HEADRACE_FP32

}  // namespace headrace::gpu
