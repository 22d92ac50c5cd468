#pragma once
// The two doors through which every answer of the CUDA runtime goes: HEADRACE_CUDA(call) makes a Result of it,
// disregard(call) is for destructors. Nothing else looks at a cudaError_t, except where "not ready" is a normal answer.

#include <cuda_runtime_api.h>

#include <string>

#include "gpu/error.hpp"

namespace headrace::gpu::cuda {

/// After such an error nothing succeeds in this process's context on the device again.
bool is_sticky(cudaError_t code) noexcept;

/// The error as a value: device_lost for sticky ones, out_of_memory, unavailable where driver or device is missing,
/// else launch_failed. The message holds call text, CUDA's name and text, file and line. Clears the runtime's memory of
/// it.
Error error_of(cudaError_t code, const char* call, const char* file, int line);

inline Result<void> checked(cudaError_t code, const char* call, const char* file, int line) {
  if (code == cudaSuccess) [[likely]]
    return {};
  return tl::unexpected<Error>(error_of(code, call, file, line));
}

/// For destructors: an error there has no receiver, and at exit the runtime may be unloaded already.
inline void disregard(cudaError_t code) noexcept {
  if (code != cudaSuccess && code != cudaErrorCudartUnloading) static_cast<void>(cudaGetLastError());
}

}  // namespace headrace::gpu::cuda

#define HEADRACE_CUDA(call) ::headrace::gpu::cuda::checked((call), #call, __FILE__, __LINE__)
