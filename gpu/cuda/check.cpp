#include "gpu/cuda/check.hpp"

#include <string_view>
#include <utility>

namespace headrace::gpu::cuda {
namespace {

ErrorKind kind_of(cudaError_t code) noexcept {
  if (is_sticky(code)) return ErrorKind::device_lost;
  switch (code) {
    case cudaErrorMemoryAllocation: return ErrorKind::out_of_memory;
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorDevicesUnavailable:
    case cudaErrorNoKernelImageForDevice: return ErrorKind::unavailable;
    default: return ErrorKind::launch_failed;
  }
}

std::string_view from_root(std::string_view file) noexcept {
  const std::size_t room = file.rfind("/gpu/");
  return room == std::string_view::npos ? file : file.substr(room + 1);
}

}  // namespace

bool is_sticky(cudaError_t code) noexcept {
  switch (code) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorTensorMemoryLeak:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContained:
    case cudaErrorContextIsDestroyed:
    case cudaErrorDeviceUninitialized:
    case cudaErrorExternalDevice:
    case cudaErrorMpsClientTerminated:
    case cudaErrorCudartUnloading:
    case cudaErrorUnknown: return true;
    default: return false;
  }
}

Error error_of(cudaError_t code, const char* call, const char* file, int line) {
  if (code != cudaErrorCudartUnloading) static_cast<void>(cudaGetLastError());
  std::string message(call);
  message.append(": ").append(cudaGetErrorName(code)).append(" (").append(cudaGetErrorString(code)).append("), ");
  message.append(from_root(file)).append(":").append(std::to_string(line));
  return {kind_of(code), std::move(message)};
}

}  // namespace headrace::gpu::cuda
