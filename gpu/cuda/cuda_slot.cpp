#include "gpu/cuda/cuda_slot.hpp"

#include <cassert>
#include <string>
#include <utility>

#include "gpu/cuda/trace.hpp"
#include "gpu/cuda/transfer.hpp"

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

// Flights that are worth a core's attention until they land; larger ones take as long as a thread needs to wake up.
constexpr std::chrono::microseconds short_flight{60};
constexpr std::size_t short_flight_bytes = 512 << 10;  // there and back

tl::unexpected<Error> refuse(std::string message) { return fail(ErrorKind::launch_failed, std::move(message)); }

const CudaExecutable& executable_of(const Batch& batch) noexcept {
  return *static_cast<const CudaExecutable*>(batch.executable);
}

std::size_t bytes_of(const Batch& batch) noexcept {
  const Program& program = batch.executable->program();
  return batch.rows * (program.inputs().front().type.row_bytes() + program.outputs().front().type.row_bytes());
}

}  // namespace

CudaSlot::CudaSlot(const Shared& shared, const Limits& limits) : shared_(shared), limits_(limits) {}

CudaSlot::~CudaSlot() {
  if (number_) shared_.registry.remove(*number_);
  shared_.completion.forget(flight_);  // of a lost device it may still be in the air
}

Result<std::unique_ptr<CudaSlot>> CudaSlot::open(const Shared& shared, const Limits& limits) {
  std::unique_ptr<CudaSlot> slot(new CudaSlot(shared, limits));
  if (auto allocated = slot->allocate(); !allocated) return tl::unexpected(std::move(allocated.error()));
  slot->number_ = shared.registry.add(*slot);
  return slot;
}

Result<void> CudaSlot::allocate() {
  Result<void> result;
  const bool all = take(allocate_device(limits_.bytes, "slot_bytes, first half of a slot"), ping_, result) &&
                   take(allocate_device(limits_.bytes, "slot_bytes, second half of a slot"), pong_, result) &&
                   take(allocate_device(sizeof(DeviceControl), "control of a slot"), device_control_, result) &&
                   take(ControlBlock::open(tiles_max(limits_.bytes, limits_.segments_max)), control_, result) &&
                   take(open_stream(), stream_, result);
  if (!all) return result;
  auto cleared = HEADRACE_CUDA(cudaMemsetAsync(device_control_.get(), 0, sizeof(DeviceControl), stream_.get()));
  if (!cleared) return cleared;
  const SlotMemory slot = memory();
  const bool captured =
      take(capture(stream_.get(), [&](cudaStream_t on) { return enqueue_begin(on, slot); }), begin_, result) &&
      take(capture(stream_.get(), [&](cudaStream_t on) { return enqueue_land(on, slot); }), land_, result);
  if (!captured) return result;
  copies_.from.reserve(limits_.segments_max);
  copies_.to.reserve(limits_.segments_max);
  copies_.bytes.reserve(limits_.segments_max);
  flight_.stream = stream_.get();
  flight_.record = control_.record();
  return result;
}

SlotMemory CudaSlot::memory() const noexcept {
  return {.head = control_.head(),
          .record = control_.record(),
          .ingest = control_.ingest(),
          .egress = control_.egress(),
          .tiles_max = static_cast<std::uint32_t>(control_.tiles_per_direction()),
          .device = static_cast<DeviceControl*>(device_control_.get()),
          .ping = ping(),
          .pong = pong()};
}

void CudaSlot::submit(const Batch& batch, FlightObserver& observer) noexcept {
  const auto begin = AirborneFlight::Clock::now();
  const auto tell = [&](std::optional<Error> error) {
    FlightResult result;
    result.flight = batch.flight;
    result.error = std::move(error);
    observer.on_flight_done(result);
  };
  if (shared_.health.lost()) return tell(shared_.health.lost_error());
  if (auto fits = check(batch); !fits) return tell(std::move(fits.error()));
  if (batch.rows == 0) return tell(std::nullopt);
  if (auto bound = shared_.health.bind_thread(); !bound) return tell(std::move(bound.error()));

  const Transfer transfer = choose(batch);
  const trace::Scope scope("submit", executable_of(batch).program().name(), number());
  if (++flight_.sequence == 0) ++flight_.sequence;
  fill_control(batch, executable_of(batch), transfer);
  bool airborne = false;
  auto enqueued =
      transfer == Transfer::in_place ? enqueue_in_place(batch, airborne) : enqueue_by_engines(batch, airborne);
  if (!enqueued && !airborne) return tell(shared_.health.note(std::move(enqueued.error())));
  flight_.fault.reset();
  if (!enqueued) flight_.fault = shared_.health.note(std::move(enqueued.error()));
  flight_.flight = batch.flight;
  flight_.observer = &observer;
  flight_.attended = batch.attended && !flight_.fault;  // of a fault only the runtime knows the end
  flight_.transfer = transfer;
  flight_.is_pass = transfer == Transfer::in_place && executable_of(batch).is_pass();
  flight_.launched = AirborneFlight::Clock::now();
  flight_.expected = batch.expected;
  flight_.is_short = batch.expected <= short_flight && bytes_of(batch) <= short_flight_bytes;
  flight_.pack = flight_.launched - begin;
  shared_.completion.watch(flight_);
}

Result<void> CudaSlot::check(const Batch& batch) const {
  assert(batch.executable != nullptr);
  const CudaExecutable& executable = executable_of(batch);
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

Transfer CudaSlot::choose(const Batch& batch) const noexcept {
  if (shared_.transfer) return *shared_.transfer;
  const Program& program = batch.executable->program();
  return choose_transfer(costs_, {.in_bytes = batch.rows * program.inputs().front().type.row_bytes(),
                                  .out_bytes = batch.rows * program.outputs().front().type.row_bytes(),
                                  .segments = static_cast<std::uint32_t>(batch.segments.size()),
                                  .alone = shared_.completion.in_air() == 0});
}

void CudaSlot::fill_control(const Batch& batch, const CudaExecutable& executable, Transfer transfer) noexcept {
  const std::size_t in_bytes = executable.program().inputs().front().type.row_bytes();
  const std::size_t out_bytes = executable.program().outputs().front().type.row_bytes();
  ControlHead& head = *control_.head();
  head = {.rows = batch.rows, .sequence = flight_.sequence, .ingest_tiles = 0, .egress_tiles = 0};
  if (transfer == Transfer::copy_engines) return;
  const std::size_t ingest_tile = tile_bytes_for(batch.rows * in_bytes);
  const std::size_t egress_tile = tile_bytes_for(batch.rows * out_bytes);
  std::byte* in = ping();
  const std::byte* out = executable.result(ping(), pong());
  for (const Segment& segment : batch.segments) {
    const std::byte* const input = segment.inputs.front();
    std::byte* const output = segment.outputs.front();
    const std::size_t from = segment.rows * in_bytes;
    const std::size_t to = segment.rows * out_bytes;
    if (executable.is_pass()) {
      head.ingest_tiles += cut_into_tiles(input, output, from, ingest_tile, control_.ingest() + head.ingest_tiles);
      continue;
    }
    head.ingest_tiles += cut_into_tiles(input, in, from, ingest_tile, control_.ingest() + head.ingest_tiles);
    head.egress_tiles += cut_into_tiles(out, output, to, egress_tile, control_.egress() + head.egress_tiles);
    in += from;
    out += to;
  }
}

Result<void> CudaSlot::enqueue_in_place(const Batch& batch, bool& airborne) noexcept {
  const CudaExecutable& executable = executable_of(batch);
  const cudaStream_t stream = stream_.get();
  const cudaGraphExec_t graph = trace::is_on() ? nullptr : executable.in_place_graph(number(), batch.rows);
  if (graph != nullptr) {
    auto launched = HEADRACE_CUDA(cudaGraphLaunch(graph, stream));
    airborne = launched.has_value();
    return launched;
  }
  // Kernel by kernel: a profiler then shows each stage under its name.
  const Extent extent = executable.extent_of(batch.rows, static_cast<std::uint32_t>(batch.segments.size()));
  const SlotMemory slot = memory();
  airborne = true;
  if (executable.is_pass()) {
    const trace::Scope scope("kernel", executable.program().name(), number());
    return HEADRACE_CUDA(executable.enqueue_in_place(stream, slot, extent));
  }
  {
    const trace::Scope scope("h2d", executable.program().name(), number());
    if (auto done = HEADRACE_CUDA(executable.enqueue_ingest(stream, slot, extent)); !done) return done;
  }
  {
    const trace::Scope scope("kernel", executable.program().name(), number());
    if (auto done = HEADRACE_CUDA(executable.enqueue_middle(stream, slot, extent)); !done) return done;
  }
  const trace::Scope scope("d2h", executable.program().name(), number());
  if (auto done = HEADRACE_CUDA(executable.enqueue_egress(stream, slot, extent)); !done) return done;
  return HEADRACE_CUDA(enqueue_land(stream, slot));
}

Result<void> CudaSlot::enqueue_by_engines(const Batch& batch, bool& airborne) noexcept {
  const CudaExecutable& executable = executable_of(batch);
  const cudaStream_t stream = stream_.get();
  airborne = true;
  {
    const trace::Scope scope("h2d", executable.program().name(), number());
    if (auto done = HEADRACE_CUDA(cudaGraphLaunch(begin_.get(), stream)); !done) return done;
    if (auto done = HEADRACE_CUDA(copy_in(batch)); !done) return done;
  }
  {
    const trace::Scope scope("kernel", executable.program().name(), number());
    const cudaGraphExec_t graph = trace::is_on() ? nullptr : executable.steps_graph(number(), batch.rows);
    const Extent extent = executable.extent_of(batch.rows, static_cast<std::uint32_t>(batch.segments.size()));
    auto done = graph != nullptr ? HEADRACE_CUDA(cudaGraphLaunch(graph, stream))
                                 : HEADRACE_CUDA(executable.enqueue_steps(stream, memory(), extent));
    if (!done) return done;
  }
  const trace::Scope scope("d2h", executable.program().name(), number());
  if (auto done = HEADRACE_CUDA(copy_out(batch)); !done) return done;
  return HEADRACE_CUDA(cudaGraphLaunch(land_.get(), stream));
}

cudaError_t CudaSlot::copy_in(const Batch& batch) noexcept {
  const std::size_t row_bytes = batch.executable->program().inputs().front().type.row_bytes();
  std::byte* rows = ping();
  for (const Segment& segment : batch.segments) {
    copies_.add(segment.inputs.front(), rows, segment.rows * row_bytes);
    rows += segment.rows * row_bytes;
  }
  return start(copies_, cudaMemcpyHostToDevice);
}

cudaError_t CudaSlot::copy_out(const Batch& batch) noexcept {
  const std::size_t row_bytes = batch.executable->program().outputs().front().type.row_bytes();
  const std::byte* rows = executable_of(batch).result(ping(), pong());
  for (const Segment& segment : batch.segments) {
    copies_.add(rows, segment.outputs.front(), segment.rows * row_bytes);
    rows += segment.rows * row_bytes;
  }
  return start(copies_, cudaMemcpyDeviceToHost);
}

void CudaSlot::Copies::add(const void* source, void* target, std::size_t size) {
  if (size == 0) return;
  from.push_back(source);
  to.push_back(target);
  bytes.push_back(size);
}

cudaError_t CudaSlot::start(Copies& copies, cudaMemcpyKind kind) noexcept {
  cudaError_t code = cudaSuccess;
  if (copies.bytes.size() == 1) {
    code = cudaMemcpyAsync(copies.to.front(), copies.from.front(), copies.bytes.front(), kind, stream_.get());
  } else {
    cudaMemcpyAttributes attributes{};
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    std::size_t first = 0;
    code = cudaMemcpyBatchAsync(copies.to.data(), copies.from.data(), copies.bytes.data(), copies.bytes.size(),
                                &attributes, &first, 1, stream_.get());
  }
  copies.from.clear();
  copies.to.clear();
  copies.bytes.clear();
  return code;
}

}  // namespace headrace::gpu::cuda
