#include "load/bench/flying.hpp"

#include <cassert>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "load/bench/figures.hpp"

namespace headrace::bench {
namespace {

constexpr int warm_flights = 20;
constexpr int windows = 5;

double us(std::chrono::nanoseconds time) noexcept { return Microseconds(time).count(); }

void pause_for(std::chrono::microseconds pause) noexcept {
  const auto end = Clock::now() + pause;
  while (Clock::now() < end) {}
}

// The ring knows a late notice by its flight's number, so numbers go on from one measurement to the next.
std::uint64_t next_flight() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void throw_if_failed(const std::optional<gpu::Error>& error) {
  if (error) throw std::runtime_error("a flight failed: " + error->message);
}

void sample(FlightSamples& samples, const gpu::FlightResult& result) {
  samples.pack_us.push_back(us(result.times.pack));
  samples.h2d_us.push_back(us(result.times.h2d));
  samples.kernel_us.push_back(us(result.times.kernel));
  samples.d2h_us.push_back(us(result.times.d2h));
  samples.transfer = result.transfer;
  samples.host_copied_bytes = result.host_copied_bytes;
}

}  // namespace

void Landing::on_flight_done(const gpu::FlightResult& result) noexcept {
  landed_at_ = Clock::now();
  result_ = result;
  done_.store(true, std::memory_order_release);
}

const gpu::FlightResult& Landing::wait(gpu::Device* attended) {
  constexpr int spins_before_yield = 20'000;
  for (int spins = 0; !done_.load(std::memory_order_acquire); ++spins) {
    if (attended != nullptr) attended->look();
    if (spins > spins_before_yield) std::this_thread::yield();  // on a machine whose cores are few
  }
  if (attended != nullptr) attended->leave();
  done_.store(false, std::memory_order_relaxed);
  return result_;
}

FlightSamples fly_one_at_a_time(gpu::StagingRing& ring, const RequestSet& requests, const Pace& pace) {
  FlightSamples samples;
  Landing landing;
  const auto fly = [&](bool measured) {
    gpu::Batch batch = requests.batch(next_flight());
    batch.attended = pace.attended;
    ring.acquire(0);
    const auto began = Clock::now();
    ring.submit(0, batch, landing);
    const auto submitted = Clock::now();
    const gpu::FlightResult& result = landing.wait(pace.attended ? &ring.device() : nullptr);
    ring.release(0);
    throw_if_failed(result.error);
    if (measured) {
      samples.submit_us.push_back(us(submitted - began));
      samples.notice_us.push_back(us(landing.landed_at() - began));
      sample(samples, result);
    }
    if (pace.pause.count() > 0) pause_for(pace.pause);
  };
  for (int i = 0; i < warm_flights; ++i) fly(false);
  const auto end = Clock::now() + std::chrono::duration<double>(pace.seconds);
  for (std::uint32_t flown = 0; flown < pace.flights_min || Clock::now() < end; ++flown) fly(true);
  requests.check_answers();
  return samples;
}

double fly_all_slots(gpu::StagingRing& ring, std::span<const RequestSet> sets, double seconds) {
  assert(sets.size() == ring.slots());
  std::vector<std::unique_ptr<Landing>> landings;
  for (std::size_t slot = 0; slot < sets.size(); ++slot) landings.push_back(std::make_unique<Landing>());
  const auto take_off = [&](std::uint32_t slot) {
    ring.acquire(slot);
    ring.submit(slot, sets[slot].batch(next_flight()), *landings[slot]);
  };
  std::optional<gpu::Error> fault;  // then the other slots must still come home
  const auto land = [&](std::uint32_t slot) {
    const gpu::FlightResult& result = landings[slot]->wait();
    if (result.error && !fault) fault = result.error;
    ring.release(slot);
  };
  for (std::uint32_t slot = 0; slot < ring.slots(); ++slot) take_off(slot);
  std::vector<double> rates;
  const std::chrono::duration<double> window(seconds / windows);
  auto began = Clock::now();
  int landed = -warm_flights;  // negative: still warming up
  for (std::uint32_t slot = 0; rates.size() < windows && !fault; slot = (slot + 1) % ring.slots()) {
    land(slot);
    take_off(slot);
    ++landed;
    const auto now = Clock::now();
    if (landed == 0) began = now;
    if (landed <= 0 || now - began < window) continue;
    rates.push_back(landed / std::chrono::duration<double>(now - began).count());
    began = now;
    landed = 0;
  }
  for (std::uint32_t slot = 0; slot < ring.slots(); ++slot) land(slot);
  throw_if_failed(fault);
  sets.front().check_answers();
  return median(std::move(rates));
}

}  // namespace headrace::bench
