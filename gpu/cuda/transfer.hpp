#pragma once
// The kernels at both ends of a flight. All take their sizes from the slot's control block; `blocks` only bounds the
// grid, and each block goes on through the table of tiles until it is done.
//
// Races through global memory: a tile has one block, rows of one request have one place, and what one kernel writes
// another reads only behind it in the stream. The one word that several blocks of a kernel change is counted
// atomically.

#include <cuda_runtime_api.h>

#include <cstdint>

#include "gpu/cuda/control_block.hpp"

namespace headrace::gpu::cuda {

inline constexpr std::uint32_t transfer_blocks_max = 256;

/// Requests' host buffers → contiguous device rows, read in place, through `chain`. Begins the flight's record.
cudaError_t enqueue_ingest(cudaStream_t stream, const SlotMemory& slot, const Chain& chain,
                           std::uint32_t blocks) noexcept;
/// The device rows that the egress tiles name → each request's own response buffer in host memory, through `chain`.
cudaError_t enqueue_egress(cudaStream_t stream, const SlotMemory& slot, const Chain& chain,
                           std::uint32_t blocks) noexcept;
/// Requests' host buffers → response buffers, through `chain`: the whole flight of an element-wise program. Its ingest
/// tiles lead from one to the other. Begins the flight's record.
cudaError_t enqueue_pass(cudaStream_t stream, const SlotMemory& slot, const Chain& chain,
                         std::uint32_t blocks) noexcept;

/// Begins the record of a flight whose rows come by copy engine.
cudaError_t enqueue_begin(cudaStream_t stream, const SlotMemory& slot) noexcept;
cudaError_t enqueue_arrived(cudaStream_t stream, const SlotMemory& slot) noexcept;
cudaError_t enqueue_stepped(cudaStream_t stream, const SlotMemory& slot) noexcept;
/// Ends every flight: all that was enqueued before it is visible to the host that sees it landed.
cudaError_t enqueue_land(cudaStream_t stream, const SlotMemory& slot) noexcept;

/// Has the runtime load them now. cudaErrorNoKernelImageForDevice when this build has no code for the calling thread's
/// device.
cudaError_t load_transfer_kernels() noexcept;

}  // namespace headrace::gpu::cuda
