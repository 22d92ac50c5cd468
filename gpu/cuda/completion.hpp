#pragma once
// Who sees that flights have landed: one thread a device. It reads each flight's mark, which the device writes into
// pinned memory, so that a look costs nanoseconds and no call of the runtime; the runtime is asked now and then whether
// a flight that takes long has failed. The thread sleeps while nothing is in the air, and while submitters look for
// their flights themselves.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

#include "gpu/cuda/activity.hpp"
#include "gpu/cuda/control_block.hpp"
#include "gpu/cuda/health.hpp"
#include "gpu/cuda/rest.hpp"
#include "gpu/device.hpp"

namespace headrace::gpu::cuda {

/// A slot's flight in the air; lives in the slot.
struct AirborneFlight {
  using Clock = Rest::Clock;

  cudaStream_t stream = nullptr;  // the slot's
  FlightRecord* record = nullptr;  // the slot's

  std::uint64_t flight = 0;
  std::uint32_t sequence = 0;
  FlightObserver* observer = nullptr;
  Clock::time_point launched;
  std::chrono::nanoseconds expected{0};  // zero: nobody knows
  std::chrono::nanoseconds pack{0};
  Transfer transfer = Transfer::in_place;
  bool is_short = true;  // worth spinning for
  bool attended = false;  // its submitter looks for it
  bool is_pass = false;  // no stop in device memory: all stages are one
  std::optional<Error> fault;  // enqueueing failed half-way: told when what was enqueued has ended

  Clock::time_point look_from;  // of a flight that is not short
  Clock::time_point ask_at;  // when the runtime is asked about it
  AirborneFlight* next = nullptr;
};

class Completion {
 public:
  Completion(Health& health, std::chrono::milliseconds flight_limit);
  /// Flights still in the air are given a moment, then answered device_lost: a device that hangs does not hang this.
  ~Completion();
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  /// Takes the flight over: its observer is told once, from the completion thread or from look(), and may submit on the
  /// slot again at once. The caller touches neither `flight` nor its slot afterwards. From any thread; never waits for
  /// the device.
  void watch(AirborneFlight& flight) noexcept;
  /// Tells of what has landed, on the calling thread, unless another one is at it; asks nobody. False once no attended
  /// flight is in the air.
  bool look() noexcept;
  /// Attended flights are the completion thread's from now on. Does not wait.
  void leave() noexcept;
  /// Before the slot goes: nothing is told of its flight from now on. Waits for what is being told on other threads.
  void forget(AirborneFlight& flight) noexcept;

  /// A snapshot.
  std::uint32_t in_air() const noexcept { return attended_.load() + unattended_.load(); }
  DeviceActivity activity() const noexcept { return activity_.read(); }

 private:
  using Clock = AirborneFlight::Clock;

  struct Seen {
    bool landed = false;  // any
    bool landed_short = false;  // one of those that are worth spinning for
    Clock::time_point next_look;  // before then none of the others is worth a look
  };
  enum class May : std::uint8_t { look, ask };

  void run() noexcept;
  bool hold() noexcept;
  void let_go() noexcept;
  void take_new() noexcept;
  void take_over_attended() noexcept;
  Seen land_ended(Clock::time_point now, May may) noexcept;
  bool has_ended(AirborneFlight& flight, Clock::time_point now, May may) noexcept;
  bool ask_runtime(AirborneFlight& flight, Clock::time_point now) noexcept;
  void unlink(AirborneFlight& flight) noexcept;
  void tell(AirborneFlight& flight) noexcept;
  void rest(Clock::time_point now, Clock::time_point next_look, Clock::duration idle) noexcept;
  bool is_wanted() const noexcept;

  Health& health_;
  const std::chrono::milliseconds flight_limit_;
  Activity activity_;
  // In the air, by who looks for them: raised before the flight is to be seen, lowered before its observer is told.
  std::atomic<std::uint32_t> attended_{0};
  std::atomic<std::uint32_t> unattended_{0};
  std::atomic<bool> leave_wanted_{false};
  std::atomic<AirborneFlight*> new_{nullptr};  // the latest first
  std::atomic_flag held_;  // by who may touch air_ and activity_, and tell observers
  std::atomic<std::thread::id> holder_;
  AirborneFlight* air_ = nullptr;
  Rest rest_;
  std::atomic<bool> stopping_{false};
  Clock::time_point stop_since_;  // published by stopping_
  std::thread thread_;
};

}  // namespace headrace::gpu::cuda
