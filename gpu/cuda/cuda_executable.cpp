#include "gpu/cuda/cuda_executable.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "gpu/cuda/elementwise.hpp"
#include "gpu/cuda/size_bucket.hpp"
#include "gpu/cuda/transfer.hpp"

namespace headrace::gpu::cuda {

CudaExecutable::CudaExecutable(std::shared_ptr<const Program> program, std::uint32_t rows_max, Weights weights)
    : Executable(std::move(program), rows_max),
      weights_(std::move(weights)),
      widest_row_bytes_(this->program().widest_row_bytes()) {}

Result<std::unique_ptr<CudaExecutable>> CudaExecutable::make(std::shared_ptr<const Program> program,
                                                             std::uint32_t rows_max) {
  auto weights = Weights::open();
  if (!weights) return tl::unexpected(std::move(weights.error()));
  std::unique_ptr<CudaExecutable> executable(new CudaExecutable(std::move(program), rows_max, std::move(*weights)));
  for (const auto& step : executable->program().steps()) {
    const CudaStepFactory factory = find_cuda_step(step->op());
    if (factory == nullptr) {
      return fail(ErrorKind::invalid_program, "operator '" + std::string(step->op()) + "' has no CUDA form");
    }
    auto made = factory(*step, executable->weights_);
    if (!made) return tl::unexpected(std::move(made.error()));
    if (!(*made)->is_nothing()) executable->append(std::move(*made), step->input().row_elements());
  }
  executable->join_ends();
  if (auto arrived = executable->weights_.finish(); !arrived) return tl::unexpected(std::move(arrived.error()));
  return executable;
}

void CudaExecutable::append(std::unique_ptr<const CudaStep> step, std::size_t row_elements) {
  if (const ChainLink* const link = step->link()) {
    const bool joins = !middle_.empty() && middle_.back().step == nullptr && middle_.back().chain.append(*link);
    if (joins) return;
    middle_.push_back({nullptr, {}, row_elements});
    middle_.back().chain.append(*link);
    return;
  }
  if (!step->in_place()) ends_in_pong_ = !ends_in_pong_;
  middle_.push_back({std::move(step), {}, row_elements});
}

void CudaExecutable::join_ends() {
  if (!middle_.empty() && middle_.front().step == nullptr) {
    lead_ = middle_.front().chain;
    middle_.erase(middle_.begin());
  }
  if (!middle_.empty() && middle_.back().step == nullptr) {
    tail_ = middle_.back().chain;
    tail_row_elements_ = middle_.back().row_elements;
    middle_.pop_back();
  }
}

Extent CudaExecutable::extent_of(std::uint32_t rows, std::uint32_t segments) const noexcept {
  const auto blocks = [&](const Port& port) {
    const std::size_t tiles = rows * port.type.row_bytes() / tile_bytes_min + std::min(rows, segments);
    return static_cast<std::uint32_t>(std::min<std::size_t>(tiles, transfer_blocks_max));
  };
  return {rows, blocks(program().inputs().front()), blocks(program().outputs().front())};
}

cudaError_t CudaExecutable::enqueue_ingest(cudaStream_t stream, const SlotMemory& slot,
                                           const Extent& extent) const noexcept {
  return cuda::enqueue_ingest(stream, slot, lead_, extent.ingest_blocks);
}

cudaError_t CudaExecutable::enqueue_middle(cudaStream_t stream, const SlotMemory& slot,
                                           const Extent& extent) const noexcept {
  const Launch launch{stream, extent.rows, &slot.device->rows};
  std::byte* rows = slot.ping;
  std::byte* other = slot.pong;
  for (const Part& part : middle_) {
    std::byte* out = part.step == nullptr || part.step->in_place() ? rows : other;
    const cudaError_t code = part.step == nullptr ? enqueue_chain(launch, part.chain, rows, out, part.row_elements)
                                                  : part.step->enqueue(launch, rows, out);
    if (code != cudaSuccess) return code;
    if (out != rows) std::swap(rows, other);
  }
  return cudaSuccess;
}

cudaError_t CudaExecutable::enqueue_egress(cudaStream_t stream, const SlotMemory& slot,
                                           const Extent& extent) const noexcept {
  return cuda::enqueue_egress(stream, slot, tail_, extent.egress_blocks);
}

cudaError_t CudaExecutable::enqueue_in_place(cudaStream_t stream, const SlotMemory& slot,
                                             const Extent& extent) const noexcept {
  if (is_pass()) {
    const cudaError_t code = enqueue_pass(stream, slot, lead_, std::max(extent.ingest_blocks, extent.egress_blocks));
    return code != cudaSuccess ? code : enqueue_land(stream, slot);
  }
  if (const cudaError_t code = enqueue_ingest(stream, slot, extent); code != cudaSuccess) return code;
  if (const cudaError_t code = enqueue_middle(stream, slot, extent); code != cudaSuccess) return code;
  if (const cudaError_t code = enqueue_egress(stream, slot, extent); code != cudaSuccess) return code;
  return enqueue_land(stream, slot);
}

cudaError_t CudaExecutable::enqueue_steps(cudaStream_t stream, const SlotMemory& slot,
                                          const Extent& extent) const noexcept {
  if (const cudaError_t code = enqueue_arrived(stream, slot); code != cudaSuccess) return code;
  const Launch launch{stream, extent.rows, &slot.device->rows};
  if (lead_.count != 0) {
    const std::size_t elements = program().inputs().front().type.row_elements();
    if (const cudaError_t code = enqueue_chain(launch, lead_, slot.ping, slot.ping, elements); code != cudaSuccess) {
      return code;
    }
  }
  if (const cudaError_t code = enqueue_middle(stream, slot, extent); code != cudaSuccess) return code;
  if (tail_.count != 0) {
    std::byte* const rows = result(slot.ping, slot.pong);
    if (const cudaError_t code = enqueue_chain(launch, tail_, rows, rows, tail_row_elements_); code != cudaSuccess) {
      return code;
    }
  }
  return enqueue_stepped(stream, slot);
}

std::uint32_t CudaExecutable::graphs_per_slot() const noexcept { return 2 * buckets_for(rows_max()); }

bool CudaExecutable::reserve_graphs(std::shared_ptr<std::atomic<std::uint32_t>> in_being, std::uint32_t wanted,
                                    std::uint32_t most) {
  if (in_being->fetch_add(wanted) + wanted > most) {
    in_being->fetch_sub(wanted);
    return false;
  }
  graphs_in_being_ = std::move(in_being);
  graphs_reserved_ = wanted;
  return true;
}

void CudaExecutable::drop_graphs() noexcept {
  graphs_.clear();
  if (graphs_in_being_ != nullptr) graphs_in_being_->fetch_sub(std::exchange(graphs_reserved_, 0));
}

Result<void> CudaExecutable::capture_for(std::uint32_t slot_number, const SlotMemory& slot, std::uint32_t segments_max,
                                         cudaStream_t stream) {
  SlotGraphs graphs;
  for (std::uint32_t bucket = 0; bucket < buckets_for(rows_max()); ++bucket) {
    const Extent extent = extent_of(bucket_rows(bucket, rows_max()), segments_max);
    auto in_place = capture(stream, [&](cudaStream_t on) { return enqueue_in_place(on, slot, extent); });
    if (!in_place) return tl::unexpected(std::move(in_place.error()));
    graphs.in_place.push_back(std::move(*in_place));
    auto steps = capture(stream, [&](cudaStream_t on) { return enqueue_steps(on, slot, extent); });
    if (!steps) return tl::unexpected(std::move(steps.error()));
    graphs.steps.push_back(std::move(*steps));
  }
  graphs_.insert_or_assign(slot_number, std::move(graphs));
  return {};
}

const CudaExecutable::SlotGraphs* CudaExecutable::graphs_of(std::uint32_t slot_number) const noexcept {
  const auto found = graphs_.find(slot_number);
  return found == graphs_.end() ? nullptr : &found->second;
}

cudaGraphExec_t CudaExecutable::in_place_graph(std::uint32_t slot_number, std::uint32_t rows) const noexcept {
  const SlotGraphs* const graphs = graphs_of(slot_number);
  return graphs == nullptr ? nullptr : graphs->in_place[bucket_of(rows)].get();
}

cudaGraphExec_t CudaExecutable::steps_graph(std::uint32_t slot_number, std::uint32_t rows) const noexcept {
  const SlotGraphs* const graphs = graphs_of(slot_number);
  return graphs == nullptr ? nullptr : graphs->steps[bucket_of(rows)].get();
}

}  // namespace headrace::gpu::cuda
