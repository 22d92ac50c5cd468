#pragma once
// Pages straight from the operating system: zeroed, touched only when used, given back on destruction.

#include <cstddef>

#include "gpu/device.hpp"

namespace headrace::gpu::cpu {

/// At least `bytes`, page-aligned; bytes() of the block is what was asked. 0 gives an empty block.
/// Errors: out_of_memory.
Result<HostBlock> allocate_pages(std::size_t bytes);

}  // namespace headrace::gpu::cpu
