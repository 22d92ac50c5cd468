#pragma once
#include "gpu/cuda/owner.hpp"

namespace headrace::gpu::cuda {

using Stream = Owner<cudaStream_t, cudaStreamDestroy>;

/// On the calling thread's device; never waits for the default stream.
inline Result<Stream> open_stream() {
  cudaStream_t stream = nullptr;
  if (auto opened = HEADRACE_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); !opened) {
    return tl::unexpected(std::move(opened.error()));
  }
  return Stream(stream);
}

}  // namespace headrace::gpu::cuda
