#pragma once
// The seam between the service and what computes: a handful of verbs about batches.
//
//   open a device · allocate host memory that it can read · compile a program · open slots · submit a batch, be told
//   once
//
// Implementations: gpu/cpu (worker threads), gpu/cuda, and in tests/support a puppet whose flights end when the test
// says so. One contract suite (tests/gpu/device_contract) runs over all of them.
//
// Ownership: a Device outlives its host blocks, executables and slots. A flight's owner keeps the batch, its segments
// and all buffers alive and unmoved until the one notice.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/error.hpp"
#include "gpu/program.hpp"

namespace headrace::gpu {

enum class DeviceKind : std::uint8_t { cpu, cuda, puppet };

/// How a batch's rows pass between the requests' buffers and the device.
enum class Transfer : std::uint8_t {
  in_place,      // the device's threads read and write host memory themselves
  copy_engines,  // its copy engines move the rows, while its threads work for other slots
};
inline constexpr std::size_t transfers = 2;

struct DeviceInfo {
  DeviceKind kind = DeviceKind::cpu;
  int ordinal = 0;
  std::string label;  // "cpu", "cuda:0": metric label and log name
  std::string name;  // "NVIDIA H200", the processor's model
  std::uint64_t memory_bytes_total = 0;
  bool has_copy_stages = false;  // h2d and d2h are real stages here
};

/// How long each engine was at work since the device was opened, by its own clock: the union of all flights' stages, so
/// that the sum of the three over the time that passed is how many of them worked at once. A stage that the device does
/// not have stays 0.
struct DeviceActivity {
  std::chrono::nanoseconds h2d{0};
  std::chrono::nanoseconds kernel{0};
  std::chrono::nanoseconds d2h{0};
};

/// What the device's driver says of it; each where it can be had.
struct DeviceSensors {
  std::optional<double> utilisation;  // share of the last sample period with a kernel at work, 0 to 1
  std::optional<std::uint64_t> memory_used_bytes;
  std::optional<std::uint64_t> memory_total_bytes;
  std::optional<double> power_watts;
  std::optional<double> temperature_celsius;
};

/// Memory that the device reads and writes in place; aligned to host_alignment_bytes. Move-only; given back on
/// destruction.
class HostBlock {
 public:
  using Free = void (*)(void* context, std::byte* data, std::size_t bytes) noexcept;
  HostBlock() = default;
  HostBlock(std::byte* data, std::size_t bytes, Free free, void* context) noexcept
      : data_(data), bytes_(bytes), free_(free), context_(context) {}
  HostBlock(HostBlock&& other) noexcept;
  HostBlock& operator=(HostBlock&& other) noexcept;
  ~HostBlock();

  std::byte* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }
  /// Forgets the memory without giving it back: buffers of a dead device are set aside, never reused.
  void abandon() noexcept { data_ = nullptr; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  Free free_ = nullptr;
  void* context_ = nullptr;
};

inline constexpr std::size_t host_alignment_bytes = 256;

/// A program made ready for one device: weights resident, kernels loaded, nothing left to allocate at submit.
class Executable {
 public:
  explicit Executable(std::shared_ptr<const Program> program, std::uint32_t rows_max)
      : program_(std::move(program)), rows_max_(rows_max) {}
  virtual ~Executable() = default;
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  const Program& program() const noexcept { return *program_; }
  /// The largest batch that a slot of the device takes for this program.
  std::uint32_t rows_max() const noexcept { return rows_max_; }
  virtual std::size_t device_bytes() const noexcept = 0;

 private:
  std::shared_ptr<const Program> program_;
  std::uint32_t rows_max_;
};

/// One request's rows within a batch. `inputs[i]` may stand at any address (a tensor follows a head of any length);
/// `outputs[i]` is aligned to host_alignment_bytes. Both are host memory of this device (allocate_host).
struct Segment {
  std::span<const std::byte* const> inputs;  // one per program input
  std::span<std::byte* const> outputs;  // one per program output
  std::uint32_t rows = 0;  // 0 is legal
};

struct Batch {
  std::uint64_t flight = 0;  // chosen by the submitter, comes back in the notice
  const Executable* executable = nullptr;
  std::span<const Segment> segments;
  std::uint32_t rows = 0;  // sum of the segments' rows, at most executable->rows_max()
  /// The submitting thread will look() for its landing, so that the device need not wake a thread of its own to.
  bool attended = false;
  /// About how long it will take; zero when nobody knows. The device begins to look for its end by it.
  std::chrono::nanoseconds expected{0};
};

/// Device-measured stage times of one flight; a stage that the device does not have is 0.
struct StageTimes {
  std::chrono::nanoseconds pack{0};  // host work before the device starts: gathering rows, enqueueing
  std::chrono::nanoseconds h2d{0};  // rows into device memory
  std::chrono::nanoseconds kernel{0};  // the program's steps
  std::chrono::nanoseconds d2h{0};  // rows out of device memory
};

struct FlightResult {
  std::uint64_t flight = 0;
  std::optional<Error> error;  // device_lost is sticky, launch_failed concerns this flight alone
  StageTimes times;
  std::uint64_t host_copied_bytes = 0;  // that the host's processor moved to gather and scatter rows; 0: all in place
  Transfer transfer = Transfer::in_place;
};

/// Told once per submitted batch, from any thread, possibly before submit() has returned. Must not block.
class FlightObserver {
 public:
  virtual void on_flight_done(const FlightResult& result) noexcept = 0;

 protected:
  ~FlightObserver() = default;
};

/// Room for one batch in flight. On CUDA: a stream of its own, device memory, a control block in pinned memory.
/// Destroyed with no flight in the air, or after the device was lost; no notice comes afterwards.
class Slot {
 public:
  virtual ~Slot() = default;
  /// Never throws and never waits for the device. Answers exactly once through `observer`, success or failure.
  /// One batch at a time: the staging ring sees to it.
  virtual void submit(const Batch& batch, FlightObserver& observer) noexcept = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const noexcept = 0;
  /// At start only: never on the request path. Errors: out_of_memory.
  virtual Result<HostBlock> allocate_host(std::size_t bytes) = 0;
  /// Weights to the device, kernels loaded, one warm-up run. `slot_bytes` bounds a batch: rows_max() of the result is
  /// the smaller of `rows_max` and what a slot of that size holds. Errors: invalid_program, out_of_memory.
  virtual Result<std::unique_ptr<Executable>> compile(std::shared_ptr<const Program> program, std::uint32_t rows_max,
                                                      std::size_t slot_bytes) = 0;
  /// `slot_bytes`: device memory for one batch's widest rows, twice. `segments_max` bounds the requests of one batch.
  virtual Result<std::unique_ptr<Slot>> open_slot(std::size_t slot_bytes, std::uint32_t segments_max) = 0;
  /// True once a sticky fault was seen; every later submit answers device_lost.
  virtual bool lost() const noexcept = 0;
  /// For the thread that submitted an attended batch and has nothing better to do: tells the observers of flights that
  /// have landed, on this thread. False once no attended flight is in the air; or else it is called again, or leave().
  virtual bool look() noexcept { return false; }
  /// The attended flights in the air are left to the device.
  virtual void leave() noexcept {}
  virtual DeviceActivity activity() const noexcept { return {}; }
  /// Asks the driver, which may take a millisecond: for scrapes, never on the request path. Nothing where there is no
  /// such driver.
  virtual std::optional<DeviceSensors> sensors() { return std::nullopt; }
};

}  // namespace headrace::gpu
