#include "gpu/cuda/completion.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <string>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace headrace::gpu::cuda {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// Waking a thread takes 14 to 16 µs on the machine measured, more than a small flight: so the thread looks on for a
// while, both for the next landing and, when nothing is in the air, for the next flight.
constexpr microseconds eager{200};
// What is not short is slept on until nine tenths of what it is expected to take have passed, and then looked at now
// and then: to spin through it would cost a core.
constexpr microseconds nap_time{15};
constexpr microseconds nap_max{50};  // another flight may come meanwhile that does not wake the thread
constexpr microseconds linger{50};
constexpr milliseconds patient{5};   // then a long kernel is at work, which a rest of 50 µs more does not hurt
constexpr milliseconds ask_period{1};
constexpr std::chrono::seconds patience{2};

void pause_core() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

std::chrono::nanoseconds between(std::uint64_t begin, std::uint64_t end) noexcept {
  return std::chrono::nanoseconds(end > begin ? end - begin : 0);
}

StageTimes times_of(const AirborneFlight& flight) noexcept {
  const FlightRecord& record = *flight.record;
  if (flight.is_pass) return {.pack = flight.pack, .kernel = between(record.began, record.ended)};
  return {.pack = flight.pack,
          .h2d = between(record.began, record.arrived),
          .kernel = between(record.arrived, record.stepped),
          .d2h = between(record.stepped, record.ended)};
}

void count(Activity& activity, const AirborneFlight& flight) noexcept {
  const FlightRecord& record = *flight.record;
  // A pass reads, computes and writes at the same time.
  activity.h2d.add(record.began, flight.is_pass ? record.ended : record.arrived);
  activity.kernel.add(flight.is_pass ? record.began : record.arrived, flight.is_pass ? record.ended : record.stepped);
  activity.d2h.add(flight.is_pass ? record.began : record.stepped, record.ended);
}

}  // namespace

Completion::Completion(Health& health, milliseconds flight_limit)
    : health_(health), flight_limit_(flight_limit), thread_([this] { run(); }) {}

Completion::~Completion() {
  {
    const std::lock_guard lock(mutex_);
    stop_since_ = Clock::now();
    stopping_.store(true, std::memory_order_release);
  }
  wake_.notify_one();
  thread_.join();
}

void Completion::watch(AirborneFlight& flight) noexcept {
  const bool attended = flight.attended;  // afterwards it may be gone
  if (attended) attended_.fetch_add(1);
  in_air_.fetch_add(1);
  const bool is_short = flight.is_short;
  flight.look_from = flight.launched + flight.expected * 9 / 10;
  flight.ask_at = flight.launched + ask_period;
  AirborneFlight* latest = new_.load(std::memory_order_relaxed);
  do {
    flight.next = latest;
  } while (!new_.compare_exchange_weak(latest, &flight));
  if (!attended) wake(is_short);
}

void Completion::wake(bool from_nap) noexcept {
  // Sequentially consistent on both sides: either this sees the sleeper, or the sleeper sees what is to do.
  const Rest resting = resting_.load();
  if (resting == Rest::none || (resting == Rest::nap && !from_nap)) return;
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  wake_.notify_one();
}

bool Completion::look() noexcept {
  if (attended_.load() == 0) return false;
  if (looking_.test_and_set(std::memory_order_acquire)) return true;  // the completion thread does it
  take_new();
  land_ended(Clock::now());
  looking_.clear(std::memory_order_release);
  return attended_.load() != 0;
}

void Completion::leave() noexcept {
  if (attended_.load() == 0) return;
  while (looking_.test_and_set(std::memory_order_acquire)) pause_core();
  take_new();
  for (AirborneFlight* flight = air_; flight != nullptr; flight = flight->next) {
    if (std::exchange(flight->attended, false)) attended_.fetch_sub(1);
  }
  looking_.clear(std::memory_order_release);
  wake(true);
}

void Completion::run() noexcept {
  if (auto bound = health_.bind_thread(); !bound) health_.lose(bound.error().message);
  ::prctl(PR_SET_TIMERSLACK, 1);  // ns; the default of 50 µs is as long as a nap
  auto last_landing = Clock::now();
  for (;;) {
    const auto now = Clock::now();
    Seen seen{.landed = false, .next_look = now};
    if (!looking_.test_and_set(std::memory_order_acquire)) {
      take_new();
      seen = land_ended(now);
      looking_.clear(std::memory_order_release);
    }
    const bool stopping = stopping_.load(std::memory_order_acquire);
    if (seen.landed) {
      last_landing = now;
    } else if (in_air_.load() > (stopping ? 0 : attended_.load())) {
      rest(now, seen.next_look, now - last_landing);
      if (stopping && patience_is_over(now)) health_.lose("still in the air at close");
    } else if (now - last_landing < linger && !stopping) {
      pause_core();
    } else {
      if (!sleep()) return;
      last_landing = Clock::now();
    }
  }
}

void Completion::take_new() noexcept {
  if (new_.load(std::memory_order_relaxed) == nullptr) return;
  AirborneFlight* flight = new_.exchange(nullptr, std::memory_order_acquire);
  while (flight != nullptr) {
    AirborneFlight* const following = flight->next;
    flight->next = air_;
    air_ = flight;
    flight = following;
  }
}

Completion::Seen Completion::land_ended(Clock::time_point now) noexcept {
  Seen seen{.landed = false, .next_look = Clock::time_point::max()};
  for (AirborneFlight** at = &air_; *at != nullptr;) {
    AirborneFlight& flight = **at;
    if (!has_ended(flight, now)) {
      const auto later = std::max(flight.look_from, now + nap_time);
      seen.next_look = std::min(seen.next_look, flight.is_short ? now : later);
      at = &flight.next;
      continue;
    }
    *at = flight.next;
    seen.landed = true;
    tell(flight);
  }
  return seen;
}

bool Completion::has_ended(AirborneFlight& flight, Clock::time_point now) noexcept {
  if (has_landed(*flight.record, flight.sequence)) return true;
  if (health_.lost()) {
    if (!flight.fault || flight.fault->kind != ErrorKind::device_lost) flight.fault = health_.lost_error();
    return true;
  }
  return (flight.fault || now >= flight.ask_at) && ask_runtime(flight, now);
}

bool Completion::ask_runtime(AirborneFlight& flight, Clock::time_point now) noexcept {
  flight.ask_at = now + ask_period;
  const cudaError_t code = cudaStreamQuery(flight.stream);
  if (code == cudaErrorNotReady) {
    if (now - flight.launched < flight_limit_) return false;
    health_.lose("a flight was in the air for more than " + std::to_string(flight_limit_.count()) + " ms");
    flight.fault = health_.lost_error();
    return true;
  }
  if (code == cudaSuccess) {
    if (flight.fault || has_landed(*flight.record, flight.sequence)) return true;
    // Nothing is left on the stream: the buffers are free, but the rows never came back.
    flight.fault = Error{ErrorKind::launch_failed, health_.label() + ": the flight ended without landing"};
    return true;
  }
  Error error = error_of(code, "end of flight", __FILE__, __LINE__);
  // Whatever it is: nobody knows whether the device still uses the flight's buffers.
  error.kind = ErrorKind::device_lost;
  flight.fault = health_.note(std::move(error));
  return true;
}

void Completion::tell(AirborneFlight& flight) noexcept {
  FlightResult result;
  result.flight = flight.flight;
  result.transfer = flight.transfer;
  result.error = std::exchange(flight.fault, std::nullopt);
  if (result.error) {
    result.times.pack = flight.pack;
  } else {
    result.times = times_of(flight);
    count(activity_, flight);
  }
  FlightObserver& observer = *flight.observer;
  if (std::exchange(flight.attended, false)) attended_.fetch_sub(1);
  in_air_.fetch_sub(1);
  observer.on_flight_done(result);  // from here on the slot may hold its next flight
}

void Completion::rest(Clock::time_point now, Clock::time_point next_look, Clock::duration idle) noexcept {
  if (next_look > now) {
    nap(std::min(next_look, now + nap_max));
  } else if (idle < eager) {
    pause_core();
  } else if (idle < patient) {
    std::this_thread::yield();
  } else {
    nap(now + nap_max);
  }
}

void Completion::nap(Clock::time_point until) noexcept {
  std::unique_lock lock(mutex_);
  resting_.store(Rest::nap);
  // A flight that came since the last look is taken at once: it may be short.
  wake_.wait_until(lock, until, [this] { return woken_ || stopping_.load() || new_.load() != nullptr; });
  resting_.store(Rest::none);
  woken_ = false;
}

bool Completion::sleep() noexcept {
  std::unique_lock lock(mutex_);
  resting_.store(Rest::sleep);
  // Attended flights are looked for by others, but for the end of all.
  wake_.wait(lock, [this] { return woken_ || stopping_.load() || in_air_.load() > attended_.load(); });
  resting_.store(Rest::none);
  woken_ = false;
  return in_air_.load() != 0 || !stopping_.load();
}

bool Completion::patience_is_over(Clock::time_point now) noexcept {
  const std::lock_guard lock(mutex_);
  return now - stop_since_ > patience;
}

}  // namespace headrace::gpu::cuda
