#include "gpu/cuda/weights.hpp"

namespace headrace::gpu::cuda {

Result<Weights> Weights::open() {
  Weights weights;
  auto stream = open_stream();
  if (!stream) return tl::unexpected(std::move(stream.error()));
  auto event = open_event();
  if (!event) return tl::unexpected(std::move(event.error()));
  weights.stream_ = std::move(*stream);
  weights.arrived_ = std::move(*event);
  return weights;
}

Result<const float*> Weights::upload(const float* data, std::size_t elements) {
  if (data == nullptr || elements == 0) return nullptr;
  const std::size_t bytes = elements * sizeof(float);
  auto memory = allocate_device(bytes, "weights in device memory");
  if (!memory) return tl::unexpected(std::move(memory.error()));
  void* target = memory->get();
  memory_.push_back(std::move(*memory));
  bytes_ += bytes;
  auto copied = HEADRACE_CUDA(cudaMemcpyAsync(target, data, bytes, cudaMemcpyHostToDevice, stream_.get()));
  if (!copied) return tl::unexpected(std::move(copied.error()));
  return static_cast<const float*>(target);
}

Result<void> Weights::finish() {
  if (auto recorded = HEADRACE_CUDA(cudaEventRecord(arrived_.get(), stream_.get())); !recorded) return recorded;
  return HEADRACE_CUDA(cudaEventSynchronize(arrived_.get()));
}

}  // namespace headrace::gpu::cuda
