#pragma once
// A slot on a CUDA device: a stream of its own, two device buffers between which the steps pass the rows, the control
// block and four events that time the stages. A flight is: ingest, the program's steps, egress.

#include <cstdint>
#include <memory>

#include "gpu/cuda/completion.hpp"
#include "gpu/cuda/control_block.hpp"
#include "gpu/cuda/cuda_executable.hpp"
#include "gpu/cuda/event.hpp"
#include "gpu/cuda/memory.hpp"
#include "gpu/cuda/stream.hpp"
#include "gpu/device.hpp"

namespace headrace::gpu::cuda {

class CudaSlot final : public Slot {
 public:
  struct Limits {
    std::size_t bytes = 0;  // each of the two buffers
    std::uint32_t segments_max = 0;
  };

  /// On the calling thread's device. `health` and `completion` outlive the slot.
  static Result<std::unique_ptr<CudaSlot>> open(Health& health, Completion& completion, const Limits& limits);

  void submit(const Batch& batch, FlightObserver& observer) noexcept override;

 private:
  struct Tiles {
    std::uint32_t ingest = 0;
    std::uint32_t egress = 0;
  };

  CudaSlot(Health& health, Completion& completion, const Limits& limits);

  Result<void> allocate();
  Result<void> check(const Batch& batch) const;
  Tiles fill_control(const Batch& batch, const CudaExecutable& executable) const noexcept;
  /// `airborne` becomes true with the first kernel: from then on the device may touch the flight's buffers.
  Result<void> enqueue(const Batch& batch, bool& airborne) noexcept;

  std::byte* ping() const noexcept { return static_cast<std::byte*>(ping_.get()); }
  std::byte* pong() const noexcept { return static_cast<std::byte*>(pong_.get()); }

  Health& health_;
  Completion& completion_;
  Limits limits_;
  DeviceMemory ping_;
  DeviceMemory pong_;
  DeviceMemory rows_;  // the row count, written by ingest
  ControlBlock control_;
  Event started_, ingested_, stepped_, ended_;
  Stream stream_;
  AirborneFlight flight_;
};

}  // namespace headrace::gpu::cuda
