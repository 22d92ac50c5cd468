#pragma once
// Who sees that flights have ended: one thread a device. It sleeps while nothing is in the air; otherwise it asks each
// flight's last event in turn, which sees the end sooner than a host callback and costs the submitter nothing.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

#include "gpu/cuda/health.hpp"
#include "gpu/device.hpp"

namespace headrace::gpu::cuda {

/// A slot's flight in the air; lives in the slot. The events belong to the slot.
struct AirborneFlight {
  cudaStream_t stream = nullptr;
  cudaEvent_t started = nullptr;
  cudaEvent_t ingested = nullptr;
  cudaEvent_t stepped = nullptr;
  cudaEvent_t ended = nullptr;

  std::uint64_t flight = 0;
  FlightObserver* observer = nullptr;
  std::chrono::nanoseconds pack{0};
  bool has_steps = false;
  std::optional<Error> fault;  // enqueueing failed half-way: told when what was enqueued has ended

  AirborneFlight* next = nullptr;
};

class Completion {
 public:
  explicit Completion(Health& health);
  /// Flights still in the air are given a moment, then answered device_lost: a device that hangs does not hang this.
  ~Completion();
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  /// Takes the flight over: its observer is told once, from the completion thread, and may submit on the slot again at
  /// once. The caller touches neither `flight` nor its slot afterwards. From any thread; never waits for the device.
  void watch(AirborneFlight& flight) noexcept;

 private:
  void run() noexcept;
  bool take_new(AirborneFlight*& air) noexcept;
  bool land_ended(AirborneFlight*& air) noexcept;
  bool has_ended(AirborneFlight& flight) noexcept;
  void rest(std::uint32_t idle_sweeps) noexcept;
  bool patience_is_over() noexcept;

  Health& health_;
  std::mutex mutex_;
  std::condition_variable wake_;
  AirborneFlight* first_new_ = nullptr;
  AirborneFlight** last_new_ = &first_new_;
  std::optional<std::chrono::steady_clock::time_point> stop_since_;
  std::thread thread_;
};

}  // namespace headrace::gpu::cuda
