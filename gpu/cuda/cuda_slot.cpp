#include "gpu/cuda/cuda_slot.hpp"

#include <cassert>
#include <string>
#include <utility>

#include "gpu/cuda/egress.hpp"
#include "gpu/cuda/ingest.hpp"

namespace headrace::gpu::cuda {
namespace {

/// Moves the value into `target`, or the error into `result`.
template <class T>
bool take(Result<T> from, T& target, Result<void>& result) {
  if (!from) {
    result = tl::unexpected<Error>(std::move(from.error()));
    return false;
  }
  target = std::move(*from);
  return true;
}

tl::unexpected<Error> refuse(std::string message) { return fail(ErrorKind::launch_failed, std::move(message)); }

}  // namespace

CudaSlot::CudaSlot(Health& health, Completion& completion, const Limits& limits)
    : health_(health), completion_(completion), limits_(limits) {}

Result<std::unique_ptr<CudaSlot>> CudaSlot::open(Health& health, Completion& completion, const Limits& limits) {
  std::unique_ptr<CudaSlot> slot(new CudaSlot(health, completion, limits));
  if (auto allocated = slot->allocate(); !allocated) return tl::unexpected(std::move(allocated.error()));
  return slot;
}

Result<void> CudaSlot::allocate() {
  Result<void> result;
  const bool all = take(allocate_device(limits_.bytes, "slot_bytes, first half of a slot"), ping_, result) &&
                   take(allocate_device(limits_.bytes, "slot_bytes, second half of a slot"), pong_, result) &&
                   take(allocate_device(sizeof(std::uint32_t), "row count of a slot"), rows_, result) &&
                   take(ControlBlock::open(tiles_max(limits_.bytes, limits_.segments_max)), control_, result) &&
                   take(open_event(), started_, result) && take(open_event(), ingested_, result) &&
                   take(open_event(), stepped_, result) && take(open_event(), ended_, result) &&
                   take(open_stream(), stream_, result);
  if (all) {
    flight_.stream = stream_.get();
    flight_.started = started_.get();
    flight_.ingested = ingested_.get();
    flight_.stepped = stepped_.get();
    flight_.ended = ended_.get();
  }
  return result;
}

void CudaSlot::submit(const Batch& batch, FlightObserver& observer) noexcept {
  const auto begin = std::chrono::steady_clock::now();
  const auto tell = [&](std::optional<Error> error) { observer.on_flight_done({batch.flight, std::move(error), {}}); };
  if (health_.lost()) return tell(health_.lost_error());
  if (auto fits = check(batch); !fits) return tell(std::move(fits.error()));
  if (batch.rows == 0) return tell(std::nullopt);

  bool airborne = false;
  auto enqueued = enqueue(batch, airborne);
  if (!enqueued && !airborne) return tell(health_.note(std::move(enqueued.error())));
  flight_.fault.reset();
  if (!enqueued) flight_.fault = health_.note(std::move(enqueued.error()));
  flight_.flight = batch.flight;
  flight_.observer = &observer;
  flight_.has_steps = static_cast<const CudaExecutable*>(batch.executable)->has_steps();
  flight_.pack = std::chrono::steady_clock::now() - begin;
  completion_.watch(flight_);
}

Result<void> CudaSlot::check(const Batch& batch) const {
  assert(batch.executable != nullptr);
  const auto& executable = *static_cast<const CudaExecutable*>(batch.executable);
  std::uint64_t rows = 0;
  for (const Segment& segment : batch.segments) {
    assert(segment.inputs.size() == 1 && segment.outputs.size() == 1);
    rows += segment.rows;
  }
  if (rows != batch.rows) {
    return refuse("batch: expected the segments' rows to add up to " + std::to_string(batch.rows) + ", got " +
                  std::to_string(rows));
  }
  if (batch.rows > executable.rows_max() || batch.rows * executable.widest_row_bytes() > limits_.bytes) {
    return refuse("batch: expected at most " + std::to_string(executable.rows_max()) + " rows and " +
                  std::to_string(limits_.bytes) + " bytes, got " + std::to_string(batch.rows) + " rows of up to " +
                  std::to_string(executable.widest_row_bytes()) + " bytes");
  }
  if (batch.segments.size() > limits_.segments_max) {
    return refuse("batch: expected at most " + std::to_string(limits_.segments_max) + " requests, got " +
                  std::to_string(batch.segments.size()));
  }
  return {};
}

CudaSlot::Tiles CudaSlot::fill_control(const Batch& batch, const CudaExecutable& executable) const noexcept {
  const std::size_t in_bytes = executable.program().inputs().front().type.row_bytes();
  const std::size_t out_bytes = executable.program().outputs().front().type.row_bytes();
  std::byte* in = ping();
  const std::byte* out = executable.result(ping(), pong());
  Tiles tiles;
  control_.head()->rows = batch.rows;
  for (const Segment& segment : batch.segments) {
    if (segment.rows == 0) continue;
    const std::size_t from = segment.rows * in_bytes;
    const std::size_t to = segment.rows * out_bytes;
    tiles.ingest += cut_into_tiles(segment.inputs.front(), in, from, control_.ingest() + tiles.ingest);
    tiles.egress += cut_into_tiles(out, segment.outputs.front(), to, control_.egress() + tiles.egress);
    in += from;
    out += to;
  }
  return tiles;
}

Result<void> CudaSlot::enqueue(const Batch& batch, bool& airborne) noexcept {
  if (auto bound = health_.bind_thread(); !bound) return bound;
  const auto& executable = *static_cast<const CudaExecutable*>(batch.executable);
  const Tiles tiles = fill_control(batch, executable);
  auto* const rows = static_cast<std::uint32_t*>(rows_.get());
  const cudaStream_t stream = stream_.get();

  if (auto done = HEADRACE_CUDA(cudaEventRecord(started_.get(), stream)); !done) return done;
  if (auto done = HEADRACE_CUDA(enqueue_ingest(stream, control_, tiles.ingest, rows)); !done) return done;
  airborne = true;
  if (auto done = HEADRACE_CUDA(cudaEventRecord(ingested_.get(), stream)); !done) return done;
  if (executable.has_steps()) {
    const Launch launch{stream, batch.rows, rows};
    if (auto done = HEADRACE_CUDA(executable.enqueue_steps(launch, ping(), pong())); !done) return done;
    if (auto done = HEADRACE_CUDA(cudaEventRecord(stepped_.get(), stream)); !done) return done;
  }
  if (auto done = HEADRACE_CUDA(enqueue_egress(stream, control_, tiles.egress)); !done) return done;
  return HEADRACE_CUDA(cudaEventRecord(ended_.get(), stream));
}

}  // namespace headrace::gpu::cuda
