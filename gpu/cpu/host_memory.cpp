#include "gpu/cpu/host_memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace headrace::gpu::cpu {
namespace {

void free_pages(void* /*context*/, std::byte* data, std::size_t bytes) noexcept { ::munmap(data, bytes); }

}  // namespace

Result<HostBlock> allocate_pages(std::size_t bytes) {
  if (bytes == 0) return HostBlock{};
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    return fail(ErrorKind::out_of_memory,
                "host memory: asked for " + std::to_string(bytes) + " bytes: " + std::strerror(errno));
  }
  return HostBlock(static_cast<std::byte*>(data), bytes, free_pages, nullptr);
}

}  // namespace headrace::gpu::cpu
