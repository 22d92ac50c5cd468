#include "gpu/cuda/completion.hpp"

#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace headrace::gpu::cuda {
namespace {

constexpr std::uint32_t sweeps_before_yield = 64;      // about 100 µs of event queries
constexpr std::uint32_t sweeps_before_sleep = 16384;   // tens of ms: a long kernel, which 50 µs more do not hurt
constexpr std::chrono::microseconds long_rest{50};
constexpr std::chrono::seconds patience{2};

void pause_core() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

std::chrono::nanoseconds between(cudaEvent_t begin, cudaEvent_t end) noexcept {
  float milliseconds = 0;
  if (const cudaError_t code = cudaEventElapsedTime(&milliseconds, begin, end); code != cudaSuccess) {
    disregard(code);
    return {};
  }
  return std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6));
}

StageTimes times_of(const AirborneFlight& flight) noexcept {
  StageTimes times;
  times.pack = flight.pack;
  const cudaEvent_t stepped = flight.has_steps ? flight.stepped : flight.ingested;
  times.h2d = between(flight.started, flight.ingested);
  if (flight.has_steps) times.kernel = between(flight.ingested, stepped);
  times.d2h = between(stepped, flight.ended);
  return times;
}

}  // namespace

Completion::Completion(Health& health) : health_(health), thread_([this] { run(); }) {}

Completion::~Completion() {
  {
    const std::lock_guard lock(mutex_);
    stop_since_ = std::chrono::steady_clock::now();
  }
  wake_.notify_one();
  thread_.join();
}

void Completion::watch(AirborneFlight& flight) noexcept {
  flight.next = nullptr;
  {
    const std::lock_guard lock(mutex_);
    *last_new_ = &flight;
    last_new_ = &flight.next;
  }
  wake_.notify_one();
}

void Completion::run() noexcept {
  if (auto bound = health_.bind_thread(); !bound) health_.lose();
  AirborneFlight* air = nullptr;
  std::uint32_t idle_sweeps = 0;
  while (take_new(air)) {
    idle_sweeps = land_ended(air) ? 0 : idle_sweeps + 1;
    if (air != nullptr) rest(idle_sweeps);
    if (air != nullptr && patience_is_over()) health_.lose();
  }
}

bool Completion::take_new(AirborneFlight*& air) noexcept {
  std::unique_lock lock(mutex_);
  if (air == nullptr) {
    wake_.wait(lock, [this] { return first_new_ != nullptr || stop_since_; });
  }
  AirborneFlight** end = &air;
  while (*end != nullptr) end = &(*end)->next;
  *end = std::exchange(first_new_, nullptr);
  last_new_ = &first_new_;
  return air != nullptr;
}

bool Completion::land_ended(AirborneFlight*& air) noexcept {
  bool landed = false;
  for (AirborneFlight** at = &air; *at != nullptr;) {
    AirborneFlight& flight = **at;
    if (!has_ended(flight)) {
      at = &flight.next;
      continue;
    }
    *at = flight.next;
    landed = true;
    FlightResult result{flight.flight, std::exchange(flight.fault, std::nullopt), {}};
    result.times = result.error ? StageTimes{.pack = flight.pack} : times_of(flight);
    FlightObserver& observer = *flight.observer;
    observer.on_flight_done(result);  // from here on the slot may hold its next flight
  }
  return landed;
}

bool Completion::has_ended(AirborneFlight& flight) noexcept {
  if (health_.lost()) {
    if (!flight.fault || flight.fault->kind != ErrorKind::device_lost) flight.fault = health_.lost_error();
    return true;
  }
  // The last event may never have been recorded when enqueueing failed: then the stream itself is asked.
  const cudaError_t code = flight.fault ? cudaStreamQuery(flight.stream) : cudaEventQuery(flight.ended);
  if (code == cudaErrorNotReady) return false;
  if (code == cudaSuccess) return true;
  flight.fault = health_.note(error_of(code, "end of flight", __FILE__, __LINE__));
  if (!health_.lost()) {
    // Nobody knows whether the device still uses the flight's buffers.
    health_.lose();
    flight.fault->kind = ErrorKind::device_lost;
  }
  return true;
}

void Completion::rest(std::uint32_t idle_sweeps) noexcept {
  if (idle_sweeps < sweeps_before_yield) {
    pause_core();
  } else if (idle_sweeps < sweeps_before_sleep) {
    std::this_thread::yield();
  } else {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, long_rest, [this] { return first_new_ != nullptr; });
  }
}

bool Completion::patience_is_over() noexcept {
  const std::lock_guard lock(mutex_);
  return stop_since_ && std::chrono::steady_clock::now() - *stop_since_ > patience;
}

}  // namespace headrace::gpu::cuda
