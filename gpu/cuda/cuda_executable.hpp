#pragma once
// A program on one CUDA device: weights resident, neighbouring element-wise steps joined into chains, the first and the
// last of them joined to the transfer. For each slot that is open when it is made it holds captured graphs, one a
// bucket of batch sizes; a slot without them launches kernel by kernel.

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "gpu/cuda/chain.hpp"
#include "gpu/cuda/control_block.hpp"
#include "gpu/cuda/cuda_step.hpp"
#include "gpu/cuda/graph.hpp"
#include "gpu/device.hpp"

namespace headrace::gpu::cuda {

/// What grids are sized for: at least what the batch has.
struct Extent {
  std::uint32_t rows = 0;
  std::uint32_t ingest_blocks = 0;
  std::uint32_t egress_blocks = 0;
};

class CudaExecutable final : public Executable {
 public:
  /// Weights uploaded; the steps have not run yet. The calling thread's device is the one.
  static Result<std::unique_ptr<CudaExecutable>> make(std::shared_ptr<const Program> program, std::uint32_t rows_max);

  ~CudaExecutable() override { drop_graphs(); }

  std::size_t device_bytes() const noexcept override { return weights_.bytes(); }
  std::size_t widest_row_bytes() const noexcept { return widest_row_bytes_; }

  /// One element-wise pass or none: in place, rows go from the request's buffer to its answer's without a stop.
  bool is_pass() const noexcept { return middle_.empty() && tail_.count == 0; }
  /// Where the last step leaves its rows when the first finds them in `ping`.
  std::byte* result(std::byte* ping, std::byte* pong) const noexcept { return ends_in_pong_ ? pong : ping; }

  Extent extent_of(std::uint32_t rows, std::uint32_t segments) const noexcept;
  /// A whole flight that reads and writes host memory in place.
  cudaError_t enqueue_in_place(cudaStream_t stream, const SlotMemory& slot, const Extent& extent) const noexcept;
  /// All steps of a flight whose rows come and go by copy engine, from the mark that they arrived.
  cudaError_t enqueue_steps(cudaStream_t stream, const SlotMemory& slot, const Extent& extent) const noexcept;

  // The parts of a flight in place, for who wants to name each.
  cudaError_t enqueue_ingest(cudaStream_t stream, const SlotMemory& slot, const Extent& extent) const noexcept;
  cudaError_t enqueue_middle(cudaStream_t stream, const SlotMemory& slot, const Extent& extent) const noexcept;
  cudaError_t enqueue_egress(cudaStream_t stream, const SlotMemory& slot, const Extent& extent) const noexcept;

  /// Counts `wanted` graphs into `in_being` for as long as this executable lives, all or, beyond `most`, none.
  bool reserve_graphs(std::shared_ptr<std::atomic<std::uint32_t>> in_being, std::uint32_t wanted, std::uint32_t most);
  void drop_graphs() noexcept;
  /// At start only, and not while the slot flies this executable. `stream` is idle and not the slot's.
  Result<void> capture_for(std::uint32_t slot_number, const SlotMemory& slot, std::uint32_t segments_max,
                           cudaStream_t stream);
  /// How many graphs capture_for() makes.
  std::uint32_t graphs_per_slot() const noexcept;
  /// Null when there is none.
  cudaGraphExec_t in_place_graph(std::uint32_t slot_number, std::uint32_t rows) const noexcept;
  cudaGraphExec_t steps_graph(std::uint32_t slot_number, std::uint32_t rows) const noexcept;

 private:
  /// A step, or a chain where there is none.
  struct Part {
    std::unique_ptr<const CudaStep> step;
    Chain chain;
    std::size_t row_elements = 0;
  };
  struct SlotGraphs {
    std::vector<Graph> in_place;
    std::vector<Graph> steps;
  };

  CudaExecutable(std::shared_ptr<const Program> program, std::uint32_t rows_max, Weights weights);

  void append(std::unique_ptr<const CudaStep> step, std::size_t row_elements);
  void join_ends();
  const SlotGraphs* graphs_of(std::uint32_t slot_number) const noexcept;

  Weights weights_;
  Chain lead_;  // on the way in
  std::vector<Part> middle_;  // without steps that have nothing to do
  Chain tail_;  // on the way out
  std::size_t tail_row_elements_ = 0;
  std::size_t widest_row_bytes_;
  bool ends_in_pong_ = false;
  std::unordered_map<std::uint32_t, SlotGraphs> graphs_;
  std::shared_ptr<std::atomic<std::uint32_t>> graphs_in_being_;
  std::uint32_t graphs_reserved_ = 0;
};

}  // namespace headrace::gpu::cuda
