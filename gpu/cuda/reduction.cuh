#pragma once
// Reductions over vectors: a warp for a short one, a block for a long one. The same reductions, over lanes, are the CPU
// form (gpu/ops/reduce.hpp).

#include <cstddef>
#include <cstdint>

#include "gpu/cuda/cuda_step.hpp"
#include "gpu/cuda/launch.cuh"
#include "gpu/ops/vectors.hpp"

namespace headrace::gpu::cuda {

inline constexpr unsigned warp_threads = 32;
inline constexpr unsigned block_threads = 256;
inline constexpr std::size_t warp_width_max = 1024;  // above it a vector gets a whole block
inline constexpr std::size_t vector_blocks_max = 16384;

struct Largest {
  using Value = float;
  static __device__ Value neutral() { return -INFINITY; }
  static __device__ Value combine(Value a, Value b) { return fmaxf(a, b); }  // passes NaN by
};
struct Total {
  using Value = double;
  static __device__ Value neutral() { return 0; }
  static __device__ Value combine(Value a, Value b) { return a + b; }
};

template <class Reduction>
__device__ typename Reduction::Value across_warp(typename Reduction::Value value) {
  for (int distance = warp_threads / 2; distance > 0; distance /= 2) {
    value = Reduction::combine(value, __shfl_xor_sync(0xffffffffu, value, distance));
  }
  return value;
}

/// The reduction over `threads` threads (one warp or the whole block); every one of them gets it.
template <class Reduction, unsigned threads>
__device__ typename Reduction::Value across(typename Reduction::Value value) {
  value = across_warp<Reduction>(value);
  if constexpr (threads > warp_threads) {
    __shared__ typename Reduction::Value parts[threads / warp_threads];
    __syncthreads();  // the parts of the vector before have been read
    if (threadIdx.x % warp_threads == 0) parts[threadIdx.x / warp_threads] = value;
    __syncthreads();
    const unsigned lane = threadIdx.x % warp_threads;
    value = across_warp<Reduction>(lane < threads / warp_threads ? parts[lane] : Reduction::neutral());
  }
  return value;
}

/// The vectors that the group of `threads` threads which this thread is in works on: body(number of the vector) for
/// each. All threads of a group see the same ones.
template <unsigned threads, class Body>
__device__ void each_vector(const std::uint32_t* rows, std::uint64_t vectors_per_row, Body body) {
  constexpr unsigned groups = block_threads / threads;
  const std::uint64_t vectors = *rows * vectors_per_row;
  const std::uint64_t first = blockIdx.x * std::uint64_t{groups} + threadIdx.x / threads;
  for (std::uint64_t vector = first; vector < vectors; vector += gridDim.x * std::uint64_t{groups}) body(vector);
}

/// body(element) for this thread's share of a vector, which starts at a multiple of its width from an aligned address.
template <unsigned threads, class Body>
__device__ void each_element(const float* x, std::uint64_t width, Body body) {
  const unsigned member = threadIdx.x % threads;
  if (width % 4 == 0) {
    const auto* quads = reinterpret_cast<const float4*>(x);
    for (std::uint64_t i = member; i < width / 4; i += threads) {
      const float4 quad = quads[i];
      body(quad.x);
      body(quad.y);
      body(quad.z);
      body(quad.w);
    }
    return;
  }
  for (std::uint64_t i = member; i < width; i += threads) body(x[i]);
}

/// y[i] = body(x[i]) for this thread's share of a vector; x and y may be the same.
template <unsigned threads, class Body>
__device__ void map_elements(const float* x, float* y, std::uint64_t width, Body body) {
  const unsigned member = threadIdx.x % threads;
  if (width % 4 == 0) {
    const auto* from = reinterpret_cast<const float4*>(x);
    auto* to = reinterpret_cast<float4*>(y);
    for (std::uint64_t i = member; i < width / 4; i += threads) {
      const float4 quad = from[i];
      to[i] = make_float4(body(quad.x), body(quad.y), body(quad.z), body(quad.w));
    }
    return;
  }
  for (std::uint64_t i = member; i < width; i += threads) y[i] = body(x[i]);
}

/// Mean of a vector, for every thread of the group.
template <unsigned threads>
__device__ double mean_of(const float* x, std::uint64_t width) {
  double total = 0;
  each_element<threads>(x, width, [&](float value) { total += static_cast<double>(value); });
  return across<Total, threads>(total) / static_cast<double>(width);
}

/// Σ(x − centre)² of a vector, for every thread of the group.
template <unsigned threads>
__device__ double squares_around(double centre, const float* x, std::uint64_t width) {
  double total = 0;
  each_element<threads>(x, width, [&](float value) {
    const double distance = static_cast<double>(value) - centre;
    total += distance * distance;
  });
  return across<Total, threads>(total);
}

/// One kernel in its two sizes of group; the arguments follow in, out, rows, vectors per row, width.
template <class Out, class... More>
cudaError_t launch_vectors(
    void (*by_warp)(const float*, Out*, const std::uint32_t*, std::uint64_t, std::uint64_t, More...),
    void (*by_block)(const float*, Out*, const std::uint32_t*, std::uint64_t, std::uint64_t, More...),
    const Launch& batch, const Vectors& vectors, const std::byte* in, std::byte* out, More... more) noexcept {
  const bool is_short = vectors.width <= warp_width_max;
  const std::size_t groups = is_short ? block_threads / warp_threads : 1;
  const Grid grid{dim3(blocks_for(batch.rows * vectors.per_row, groups, vector_blocks_max)), dim3(block_threads)};
  return launch(is_short ? by_warp : by_block, grid, batch.stream, reinterpret_cast<const float*>(in),
                reinterpret_cast<Out*>(out), batch.rows_device, vectors.per_row, vectors.width, more...);
}

}  // namespace headrace::gpu::cuda
