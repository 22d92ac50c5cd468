#include "gpu/ops/log_softmax/log_softmax.hpp"

#include "gpu/cuda/reduction.cuh"

namespace headrace::gpu::cuda {
namespace {

/// Largest passes NaN by, but its exponential makes the sum NaN, as the contract says.
template <unsigned threads>
__global__ void __launch_bounds__(block_threads)
    log_softmax_kernel(const float* in, float* out, const std::uint32_t* rows, std::uint64_t vectors_per_row,
                       std::uint64_t width) {
  each_vector<threads>(rows, vectors_per_row, [&](std::uint64_t vector) {
    const float* x = in + vector * width;
    float most = Largest::neutral();
    each_element<threads>(x, width, [&](float value) { most = Largest::combine(most, value); });
    most = across<Largest, threads>(most);
    double total = 0;
    each_element<threads>(x, width, [&](float value) { total += static_cast<double>(expf(value - most)); });
    const auto rest = static_cast<float>(log(across<Total, threads>(total)));
    map_elements<threads>(x, out + vector * width, width, [&](float value) { return (value - most) - rest; });
  });
}

class LogSoftmaxCudaStep final : public CudaStep {
 public:
  explicit LogSoftmaxCudaStep(const Vectors& vectors) noexcept : vectors_(vectors) {}

  cudaError_t enqueue(const Launch& batch, const std::byte* in, std::byte* out) const noexcept override {
    return launch_vectors(log_softmax_kernel<warp_threads>, log_softmax_kernel<block_threads>, batch, vectors_, in,
                          out);
  }
  bool in_place() const noexcept override { return true; }

 private:
  Vectors vectors_;
};

}  // namespace

Result<std::unique_ptr<const CudaStep>> make_cuda_log_softmax(const Step& step, Weights&) {
  return std::make_unique<LogSoftmaxCudaStep>(static_cast<const LogSoftmaxStep&>(step).vectors());
}

}  // namespace headrace::gpu::cuda
