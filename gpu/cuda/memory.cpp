#include "gpu/cuda/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace headrace::gpu::cuda {
namespace {

struct Room {
  std::size_t free = 0;
  std::size_t limit = 0;
};

Room device_room() noexcept {
  Room room;
  disregard(cudaMemGetInfo(&room.free, &room.limit));
  return room;
}

Room host_room() noexcept {
  const auto value = [](int name) { return static_cast<std::size_t>(std::max(0L, ::sysconf(name))); };
  const std::size_t page = value(_SC_PAGESIZE);
  return {value(_SC_AVPHYS_PAGES) * page, value(_SC_PHYS_PAGES) * page};
}

tl::unexpected<Error> refused(Error error, std::string_view what, std::size_t bytes, const Room& room) {
  if (error.kind != ErrorKind::out_of_memory) return tl::unexpected<Error>(std::move(error));
  return fail(ErrorKind::out_of_memory, std::string(what) + ": asked for " + std::to_string(bytes) + " bytes, free " +
                                            std::to_string(room.free) + ", limit " + std::to_string(room.limit));
}

}  // namespace

Result<DeviceMemory> allocate_device(std::size_t bytes, std::string_view what) {
  void* data = nullptr;
  if (auto allocated = HEADRACE_CUDA(cudaMalloc(&data, std::max<std::size_t>(bytes, 1))); !allocated) {
    return refused(std::move(allocated.error()), what, bytes, device_room());
  }
  return DeviceMemory(data);
}

Result<PinnedMemory> allocate_pinned(std::size_t bytes, std::string_view what) {
  void* data = nullptr;
  auto allocated =
      HEADRACE_CUDA(cudaHostAlloc(&data, std::max<std::size_t>(bytes, 1), cudaHostAllocPortable | cudaHostAllocMapped));
  if (!allocated) return refused(std::move(allocated.error()), what, bytes, host_room());
  return PinnedMemory(data);
}

}  // namespace headrace::gpu::cuda
