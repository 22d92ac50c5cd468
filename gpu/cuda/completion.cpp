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
// while, both for the next landing and, when nothing is in the air after a short flight, for the next flight.
constexpr microseconds eager{200};
constexpr microseconds linger{50};
constexpr milliseconds patient{5};
// What is not short is slept on until nine tenths of what it is expected to take have passed, and then looked at every
// so often: to spin through it would cost a core.
constexpr microseconds nap_min{15};
constexpr microseconds nap_max{500};
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
  const FlightTimes& times = flight.record->times;
  if (flight.is_pass) return {.pack = flight.pack, .kernel = between(times.began, times.ended)};
  return {.pack = flight.pack,
          .h2d = between(times.began, times.arrived),
          .kernel = between(times.arrived, times.stepped),
          .d2h = between(times.stepped, times.ended)};
}

void count(Activity& activity, const AirborneFlight& flight) noexcept {
  const FlightTimes& times = flight.record->times;
  // A pass reads, computes and writes at the same time.
  activity.h2d.add(times.began, flight.is_pass ? times.ended : times.arrived);
  activity.kernel.add(flight.is_pass ? times.began : times.arrived, flight.is_pass ? times.ended : times.stepped);
  activity.d2h.add(flight.is_pass ? times.began : times.stepped, times.ended);
}

}  // namespace

Completion::Completion(Health& health, milliseconds flight_limit)
    : health_(health), flight_limit_(flight_limit), thread_([this] { run(); }) {}

Completion::~Completion() {
  stop_since_ = Clock::now();
  stopping_.store(true);
  rest_.wake();
  thread_.join();
}

void Completion::watch(AirborneFlight& flight) noexcept {
  flight.look_from = flight.launched + flight.expected * 9 / 10;
  flight.ask_at = flight.launched + ask_period;
  // What is read below is read now: once it can be seen, the flight may be gone.
  const bool attended = flight.attended;
  const auto worth_a_look = flight.is_short ? flight.launched : flight.look_from;
  (attended ? attended_ : unattended_).fetch_add(1);
  AirborneFlight* latest = new_.load(std::memory_order_relaxed);
  do {
    flight.next = latest;
  } while (!new_.compare_exchange_weak(latest, &flight));
  if (!attended) rest_.wake(worth_a_look);
}

bool Completion::look() noexcept {
  if (attended_.load() == 0) return false;
  if (!hold()) return true;
  take_new();
  land_ended(Clock::now(), May::look);
  let_go();
  return attended_.load() != 0;
}

void Completion::leave() noexcept {
  if (attended_.load() == 0) return;
  leave_wanted_.store(true);
  rest_.wake();
}

void Completion::forget(AirborneFlight& flight) noexcept {
  if (in_air() == 0) return;
  // Inside an observer that this thread tells, it holds the list already.
  const bool held_by_this = holder_.load() == std::this_thread::get_id();
  while (!held_by_this && !hold()) std::this_thread::yield();
  take_new();
  for (AirborneFlight* at = air_; at != nullptr; at = at->next) {
    if (at != &flight) continue;
    unlink(flight);
    (flight.attended ? attended_ : unattended_).fetch_sub(1);
    break;
  }
  if (!held_by_this) let_go();
}

bool Completion::hold() noexcept {
  if (held_.test_and_set(std::memory_order_acquire)) return false;
  holder_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  return true;
}

void Completion::let_go() noexcept {
  holder_.store(std::thread::id{}, std::memory_order_relaxed);
  held_.clear(std::memory_order_release);
}

bool Completion::is_wanted() const noexcept {
  return unattended_.load() != 0 || leave_wanted_.load() || stopping_.load();
}

void Completion::run() noexcept {
  if (auto bound = health_.bind_thread(); !bound) health_.lose(bound.error().message);
  ::prctl(PR_SET_NAME, "hr-landing");
  ::prctl(PR_SET_TIMERSLACK, 1);  // ns; the default of 50 µs is longer than a nap
  auto last_landing = Clock::now();
  auto linger_until = last_landing;
  for (;;) {
    const auto now = Clock::now();
    Seen seen{.next_look = now};
    if (hold()) {
      take_new();
      if (leave_wanted_.exchange(false) || stopping_.load()) take_over_attended();
      seen = land_ended(now, May::ask);
      let_go();
    }
    if (seen.landed) {
      last_landing = now;
      if (seen.landed_short) linger_until = now + linger;
    } else if (stopping_.load()) {
      if (in_air() == 0) return;
      if (now - stop_since_ > patience) health_.lose("still in the air at close");
      rest(now, seen.next_look, now - last_landing);
    } else if (unattended_.load() != 0) {
      rest(now, seen.next_look, now - last_landing);
    } else if (now < linger_until) {
      pause_core();
    } else {
      rest_.wait([this] { return is_wanted(); });
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

void Completion::take_over_attended() noexcept {
  for (AirborneFlight* flight = air_; flight != nullptr; flight = flight->next) {
    if (!std::exchange(flight->attended, false)) continue;
    unattended_.fetch_add(1);
    attended_.fetch_sub(1);
  }
}

Completion::Seen Completion::land_ended(Clock::time_point now, May may) noexcept {
  Seen seen{.next_look = Clock::time_point::max()};
  for (AirborneFlight* flight = air_; flight != nullptr;) {
    if (has_ended(*flight, now, may)) {
      seen.landed = true;
      seen.landed_short |= flight->is_short;
      unlink(*flight);
      tell(*flight);
      flight = air_;  // the observer may have closed other slots: what was known of the list is not
      continue;
    }
    const auto nap = std::clamp<Clock::duration>((now - flight->launched) / 16, nap_min, nap_max);
    seen.next_look = std::min(seen.next_look, flight->is_short ? now : std::max(flight->look_from, now + nap));
    flight = flight->next;
  }
  return seen;
}

bool Completion::has_ended(AirborneFlight& flight, Clock::time_point now, May may) noexcept {
  if (!flight.fault && has_landed(*flight.record, flight.sequence)) return true;
  if (health_.lost()) {
    if (!flight.fault || flight.fault->kind != ErrorKind::device_lost) flight.fault = health_.lost_error();
    return true;
  }
  return may == May::ask && (flight.fault || now >= flight.ask_at) && ask_runtime(flight, now);
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

void Completion::unlink(AirborneFlight& flight) noexcept {
  AirborneFlight** at = &air_;
  while (*at != &flight) at = &(*at)->next;
  *at = flight.next;
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
  (flight.attended ? attended_ : unattended_).fetch_sub(1);
  observer.on_flight_done(result);  // from here on the slot may hold its next flight
}

void Completion::rest(Clock::time_point now, Clock::time_point next_look, Clock::duration idle) noexcept {
  // A flight that came since the last look is taken at once: it may be short.
  const auto came = [this] { return new_.load() != nullptr || leave_wanted_.load(); };
  if (next_look > now) {
    rest_.nap(std::min(next_look, now + nap_max), came);
  } else if (idle < eager) {
    pause_core();
  } else if (idle < patient) {
    std::this_thread::yield();
  } else {
    rest_.nap(now + nap_min, came);
  }
}

}  // namespace headrace::gpu::cuda
