#include "gpu/ops/linear/linear.hpp"

#include <cstdint>
#include <string>

#include "gpu/cuda/cuda_step.hpp"
#include "gpu/cuda/launch.cuh"

namespace headrace::gpu::cuda {
namespace {

struct Matrices {
  const float* x;       // [vectors, in]
  const float* weight;  // [out, in]
  const float* bias;    // [out], or null
  float* y;             // [vectors, out]
  const std::uint32_t* rows;
  std::uint32_t vectors_per_row;
  std::uint32_t in;
  std::uint32_t out;
};

constexpr int depth = 32;  // elements of `in` that a block holds at a time
constexpr int tile_vectors = 64;
constexpr unsigned threads = 256;

/// Four neighbours come in one load: both tiles' rows are a multiple of 16 bytes.
template <int count>
__device__ void load_shared(const float* from, float (&to)[count]) {
  if constexpr (count == 4) {
    const float4 v = *reinterpret_cast<const float4*>(from);
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
  } else {
#pragma unroll
    for (int i = 0; i < count; ++i) to[i] = from[i];
  }
}

/// One block makes tile_vectors × `outs` results, each thread `per_vectors` × `per_outs` of them. Each result adds its
/// products in the order of `in`, whatever the batch, so it does not depend on the batch's size. What lies beyond the
/// matrices is taken as zero and never stored.
template <int outs, int per_vectors, int per_outs>
__global__ void __launch_bounds__(threads) linear_kernel(const Matrices m) {
  static_assert((tile_vectors / per_vectors) * (outs / per_outs) == static_cast<int>(threads));
  __shared__ alignas(16) float x_tile[depth][tile_vectors + 4];
  __shared__ alignas(16) float weight_tile[depth][outs + 4];
  const std::uint64_t vectors = std::uint64_t{*m.rows} * m.vectors_per_row;
  const std::uint64_t first_vector = blockIdx.x * std::uint64_t{tile_vectors};
  const std::uint64_t first_out = blockIdx.y * std::uint64_t{outs};
  if (first_vector >= vectors) return;  // the whole block leaves together
  const int tid = static_cast<int>(threadIdx.x);
  const int my_vector = tid / (outs / per_outs) * per_vectors;
  const int my_out = tid % (outs / per_outs) * per_outs;
  float sum[per_vectors][per_outs] = {};

  for (std::uint32_t begin = 0; begin < m.in; begin += depth) {
#pragma unroll
    for (int i = tid; i < tile_vectors * depth; i += static_cast<int>(threads)) {
      const std::uint64_t vector = first_vector + i / depth;
      const std::uint32_t k = begin + i % depth;
      x_tile[i % depth][i / depth] = vector < vectors && k < m.in ? m.x[vector * m.in + k] : 0.0f;
    }
#pragma unroll
    for (int i = tid; i < outs * depth; i += static_cast<int>(threads)) {
      const std::uint64_t out = first_out + i / depth;
      const std::uint32_t k = begin + i % depth;
      weight_tile[i % depth][i / depth] = out < m.out && k < m.in ? m.weight[out * m.in + k] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      float a[per_vectors];
      float b[per_outs];
      load_shared(&x_tile[k][my_vector], a);
      load_shared(&weight_tile[k][my_out], b);
#pragma unroll
      for (int i = 0; i < per_vectors; ++i) {
#pragma unroll
        for (int j = 0; j < per_outs; ++j) sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
      }
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < per_vectors; ++i) {
    const std::uint64_t vector = first_vector + my_vector + i;
#pragma unroll
    for (int j = 0; j < per_outs; ++j) {
      const std::uint64_t out = first_out + my_out + j;
      if (vector >= vectors || out >= m.out) continue;
      m.y[vector * m.out + out] = sum[i][j] + (m.bias != nullptr ? m.bias[out] : 0.0f);
    }
  }
}

constexpr int narrow_outs = 16;
constexpr int wide_outs = 64;
constexpr std::size_t out_max = 65535 * std::size_t{wide_outs};  // the grid's second dimension
constexpr std::size_t in_max = (std::size_t{1} << 31) - depth;

class LinearCudaStep final : public CudaStep {
 public:
  LinearCudaStep(const LinearStep::Sizes& sizes, const float* weight, const float* bias) noexcept
      : sizes_(sizes), weight_(weight), bias_(bias) {}

  cudaError_t enqueue(const Launch& batch, const std::byte* in, std::byte* out) const noexcept override {
    const Matrices matrices{reinterpret_cast<const float*>(in),
                            weight_,
                            bias_,
                            reinterpret_cast<float*>(out),
                            batch.rows_device,
                            static_cast<std::uint32_t>(sizes_.vectors_per_row),
                            static_cast<std::uint32_t>(sizes_.in),
                            static_cast<std::uint32_t>(sizes_.out)};
    const bool narrow = sizes_.out <= narrow_outs;
    const std::size_t vectors = batch.rows * sizes_.vectors_per_row;
    const Grid grid{dim3(blocks_for(vectors, tile_vectors, INT32_MAX),
                         blocks_for(sizes_.out, narrow ? narrow_outs : wide_outs, 65535)),
                    dim3(threads)};
    return launch(narrow ? linear_kernel<narrow_outs, 4, 1> : linear_kernel<wide_outs, 4, 4>, grid, batch.stream,
                  matrices);
  }

 private:
  LinearStep::Sizes sizes_;
  const float* weight_;
  const float* bias_;
};

}  // namespace

Result<std::unique_ptr<const CudaStep>> make_cuda_linear(const Step& step, Weights& weights) {
  const auto& linear = static_cast<const LinearStep&>(step);
  const LinearStep::Sizes& sizes = linear.sizes();
  if (sizes.out > out_max || sizes.in > in_max) {
    return fail(ErrorKind::invalid_program, "weight: expected at most [" + std::to_string(out_max) + ", " +
                                                std::to_string(in_max) + "] on CUDA, got [" +
                                                std::to_string(sizes.out) + ", " + std::to_string(sizes.in) + "]");
  }
  auto weight = weights.upload(linear.weight(), sizes.in * sizes.out);
  if (!weight) return tl::unexpected(std::move(weight.error()));
  auto bias = weights.upload(linear.bias(), sizes.out);
  if (!bias) return tl::unexpected(std::move(bias.error()));
  return std::make_unique<LinearCudaStep>(sizes, *weight, *bias);
}

}  // namespace headrace::gpu::cuda
