#pragma once
// A slot on a CUDA device: a stream of its own, two device buffers between which the steps pass the rows, and the
// control block. A flight goes one of two ways:
//
//   in place       one graph: ingest · steps · egress · land, or pass · land
//   copy engines   graph: begin · copies in · graph: arrived, steps, stepped · copies out · graph: land

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/cuda/completion.hpp"
#include "gpu/cuda/control_block.hpp"
#include "gpu/cuda/cuda_executable.hpp"
#include "gpu/cuda/memory.hpp"
#include "gpu/cuda/slot_registry.hpp"
#include "gpu/cuda/stream.hpp"
#include "gpu/cuda/transfer_cost.hpp"
#include "gpu/device.hpp"

namespace headrace::gpu::cuda {

class CudaSlot final : public Slot {
 public:
  struct Limits {
    std::size_t bytes = 0;  // each of the two buffers
    std::uint32_t segments_max = 0;
  };

  /// What a slot shares with its device's others; all outlive it.
  struct Shared {
    Health& health;
    Completion& completion;
    SlotRegistry& registry;
    std::optional<Transfer> transfer;  // every flight goes that way; else by the cost model
  };

  /// On the calling thread's device.
  static Result<std::unique_ptr<CudaSlot>> open(const Shared& shared, const Limits& limits);
  ~CudaSlot() override;

  void submit(const Batch& batch, FlightObserver& observer) noexcept override;

  /// Its own among all slots that the device ever had.
  std::uint32_t number() const noexcept { return *number_; }
  const Limits& limits() const noexcept { return limits_; }
  SlotMemory memory() const noexcept;

 private:
  /// The arguments of one call that starts all copies of one direction; as long as the slot, so that none is allocated
  /// at submit.
  struct Copies {
    std::vector<const void*> from;
    std::vector<void*> to;
    std::vector<std::size_t> bytes;

    void add(const void* source, void* target, std::size_t size);
  };

  CudaSlot(const Shared& shared, const Limits& limits);

  Result<void> allocate();
  Result<void> check(const Batch& batch) const;
  Transfer choose(const Batch& batch) const noexcept;
  void fill_control(const Batch& batch, const CudaExecutable& executable, Transfer transfer) noexcept;
  /// `airborne` becomes true with the first launch: from then on the device may touch the flight's buffers.
  Result<void> enqueue_in_place(const Batch& batch, bool& airborne) noexcept;
  Result<void> enqueue_by_engines(const Batch& batch, bool& airborne) noexcept;
  cudaError_t copy_in(const Batch& batch) noexcept;
  cudaError_t copy_out(const Batch& batch) noexcept;
  cudaError_t start(Copies& copies, cudaMemcpyKind kind) noexcept;

  std::byte* ping() const noexcept { return static_cast<std::byte*>(ping_.get()); }
  std::byte* pong() const noexcept { return static_cast<std::byte*>(pong_.get()); }

  Shared shared_;
  Limits limits_;
  std::optional<std::uint32_t> number_;  // once it is open
  TransferCosts costs_;
  DeviceMemory ping_;
  DeviceMemory pong_;
  DeviceMemory device_control_;
  ControlBlock control_;
  Graph begin_;
  Graph land_;
  Copies copies_;
  Stream stream_;
  AirborneFlight flight_;
};

}  // namespace headrace::gpu::cuda
