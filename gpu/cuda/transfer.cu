#include "gpu/cuda/transfer.hpp"

#include <cuda/atomic>

#include "gpu/cuda/launch.cuh"

namespace headrace::gpu::cuda {
namespace {

__device__ std::uint64_t device_clock() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

__device__ void begin_record(const SlotMemory& slot) {
  slot.device->times.began = device_clock();
  slot.device->rows = slot.head->rows;
  slot.device->sequence = slot.head->sequence;
}

template <bool chained>
__device__ void move_tile(const Tile& tile, const Chain& chain) {
  if constexpr (chained) {
    transform_tile(tile, chain, threadIdx.x, blockDim.x);
  } else {
    copy_tile(tile, threadIdx.x, blockDim.x);
  }
}

/// This block's share of the table. The table is in host memory: its length and the block's first entry are asked for
/// together, because each answer takes a trip across the bus.
template <bool chained>
__device__ void move_tiles(const std::uint32_t* count, const Tile* table, const Chain& chain) {
  __shared__ Tile tile;
  __shared__ std::uint32_t tiles;
  if (threadIdx.x == 0) {
    tiles = *count;
    tile = table[blockIdx.x];
  }
  __syncthreads();
  for (std::uint32_t at = blockIdx.x; at < tiles;) {
    move_tile<chained>(tile, chain);
    at += gridDim.x;
    if (at >= tiles) break;
    __syncthreads();
    if (threadIdx.x == 0) tile = table[at];
    __syncthreads();
  }
}

template <bool chained>
__global__ void __launch_bounds__(tile_threads) ingest_kernel(const SlotMemory slot, const Chain chain) {
  if (blockIdx.x == 0 && threadIdx.x == 0) begin_record(slot);
  move_tiles<chained>(&slot.head->ingest_tiles, slot.ingest, chain);
  __syncthreads();
  // The last block out tells the time. Nothing else hangs on the count, so no fence is needed.
  if (threadIdx.x == 0 && atomicAdd(&slot.device->blocks_done, 1u) == gridDim.x - 1) {
    slot.device->blocks_done = 0;
    slot.device->times.arrived = device_clock();
  }
}

template <bool chained>
__global__ void __launch_bounds__(tile_threads) egress_kernel(const SlotMemory slot, const Chain chain) {
  if (blockIdx.x == 0 && threadIdx.x == 0) slot.device->times.stepped = device_clock();
  move_tiles<chained>(&slot.head->egress_tiles, slot.egress, chain);
}

template <bool chained>
__global__ void __launch_bounds__(tile_threads) pass_kernel(const SlotMemory slot, const Chain chain) {
  if (blockIdx.x == 0 && threadIdx.x == 0) begin_record(slot);
  move_tiles<chained>(&slot.head->ingest_tiles, slot.ingest, chain);
}

__global__ void begin_kernel(const SlotMemory slot) { begin_record(slot); }
__global__ void arrived_kernel(DeviceControl* device) { device->times.arrived = device_clock(); }
__global__ void stepped_kernel(DeviceControl* device) { device->times.stepped = device_clock(); }

__global__ void land_kernel(const SlotMemory slot) {
  FlightTimes times = slot.device->times;
  times.ended = device_clock();
  slot.record->times = times;
  ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_system> landed(slot.record->landed);
  landed.store(slot.device->sequence, ::cuda::memory_order_release);
}

Grid transfer_grid(const SlotMemory& slot, std::uint32_t blocks) noexcept {
  const std::uint32_t most = std::min(transfer_blocks_max, slot.tiles_max);  // each block looks at an entry
  return {dim3(std::clamp(blocks, 1u, most)), dim3(tile_threads)};
}

constexpr Grid one_thread() noexcept { return {dim3(1), dim3(1)}; }

}  // namespace

cudaError_t enqueue_ingest(cudaStream_t stream, const SlotMemory& slot, const Chain& chain,
                           std::uint32_t blocks) noexcept {
  return launch(chain.count == 0 ? ingest_kernel<false> : ingest_kernel<true>, transfer_grid(slot, blocks), stream,
                slot, chain);
}

cudaError_t enqueue_egress(cudaStream_t stream, const SlotMemory& slot, const Chain& chain,
                           std::uint32_t blocks) noexcept {
  return launch(chain.count == 0 ? egress_kernel<false> : egress_kernel<true>, transfer_grid(slot, blocks), stream,
                slot, chain);
}

cudaError_t enqueue_pass(cudaStream_t stream, const SlotMemory& slot, const Chain& chain,
                         std::uint32_t blocks) noexcept {
  return launch(chain.count == 0 ? pass_kernel<false> : pass_kernel<true>, transfer_grid(slot, blocks), stream, slot,
                chain);
}

cudaError_t enqueue_begin(cudaStream_t stream, const SlotMemory& slot) noexcept {
  return launch(begin_kernel, one_thread(), stream, slot);
}
cudaError_t enqueue_arrived(cudaStream_t stream, const SlotMemory& slot) noexcept {
  return launch(arrived_kernel, one_thread(), stream, slot.device);
}
cudaError_t enqueue_stepped(cudaStream_t stream, const SlotMemory& slot) noexcept {
  return launch(stepped_kernel, one_thread(), stream, slot.device);
}
cudaError_t enqueue_land(cudaStream_t stream, const SlotMemory& slot) noexcept {
  return launch(land_kernel, one_thread(), stream, slot);
}

cudaError_t load_transfer_kernels() noexcept {
  const void* const kernels[] = {
      reinterpret_cast<const void*>(ingest_kernel<false>), reinterpret_cast<const void*>(ingest_kernel<true>),
      reinterpret_cast<const void*>(egress_kernel<false>), reinterpret_cast<const void*>(egress_kernel<true>),
      reinterpret_cast<const void*>(pass_kernel<false>),   reinterpret_cast<const void*>(pass_kernel<true>),
      reinterpret_cast<const void*>(begin_kernel),         reinterpret_cast<const void*>(arrived_kernel),
      reinterpret_cast<const void*>(stepped_kernel),       reinterpret_cast<const void*>(land_kernel)};
  for (const void* const kernel : kernels) {
    cudaFuncAttributes attributes{};
    if (const cudaError_t code = cudaFuncGetAttributes(&attributes, kernel); code != cudaSuccess) return code;
  }
  return cudaSuccess;
}

}  // namespace headrace::gpu::cuda
