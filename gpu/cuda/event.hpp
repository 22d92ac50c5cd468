#pragma once
#include "gpu/cuda/owner.hpp"

namespace headrace::gpu::cuda {

using Event = Owner<cudaEvent_t, cudaEventDestroy>;

/// On the calling thread's device; keeps time.
inline Result<Event> open_event() {
  cudaEvent_t event = nullptr;
  if (auto opened = HEADRACE_CUDA(cudaEventCreateWithFlags(&event, cudaEventDefault)); !opened) {
    return tl::unexpected(std::move(opened.error()));
  }
  return Event(event);
}

}  // namespace headrace::gpu::cuda
