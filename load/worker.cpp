#include "load/worker.hpp"

#include <algorithm>
#include <ctime>

#include "load/spawn.hpp"

namespace headrace::load {
namespace {

using namespace std::chrono_literals;

constexpr auto as_result = asio::as_tuple(asio::use_awaitable_t<Executor>{});
constexpr Duration sweep_period_max = 50ms;
constexpr Duration sweep_period_min = 1ms;

Duration thread_time() noexcept {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec);
}

}  // namespace

Worker::Worker(const Settings& settings, const Payload& payload, Expectations* expectations)
    : settings_(settings),
      context_(1),
      lane_{.server = settings.server,
            .payload = payload,
            .timeout = settings.timeout,
            .next_body = settings.number,
            .body_stride = settings.threads,
            .next_id = settings.number << 48,
            .check = {},
            .turns = {},
            .recorder = {}},
      sweep_timer_(context_.get_executor()) {
  if (expectations != nullptr) lane_.check.emplace(*expectations);
  for (std::size_t i = 0; i < settings.connections; ++i) {
    clients_.push_back(std::make_unique<Client>(context_.get_executor(), lane_));
  }
}

void Worker::open() { run_all(true); }

void Worker::run(const RunPlan& plan, std::uint64_t quota, const std::atomic<bool>& stop) {
  lane_.turns.emplace(plan, Schedule::Share{settings_.number, settings_.threads}, quota, stop);
  lane_.recorder.timeline.start(plan.measured_from);
  const TimePoint started = Clock::now();
  const Duration worked = thread_time();
  run_all(false);
  const auto wall = std::chrono::duration<double>(Clock::now() - started).count();
  busy_ = wall > 0 ? std::chrono::duration<double>(thread_time() - worked).count() / wall : 0;
  if (lane_.check) lane_.recorder.compared = lane_.check->compared();
}

void Worker::run_all(bool opening) {
  context_.restart();
  running_ = clients_.size();
  for (const auto& client : clients_) {
    spawn(context_, counted(opening ? client->open() : client->run()));
  }
  spawn(context_, sweep());
  context_.run();
}

Task<void> Worker::counted(Task<void> task) {
  co_await std::move(task);
  if (--running_ == 0) sweep_timer_.cancel();
}

Task<void> Worker::sweep() {
  const Duration period = std::clamp(settings_.timeout / 16, sweep_period_min, sweep_period_max);
  while (running_ != 0) {
    sweep_timer_.expires_after(period);
    auto [error] = co_await sweep_timer_.async_wait(as_result);
    if (error) co_return;
    const TimePoint now = Clock::now();
    const bool stopped = lane_.turns && lane_.turns->stopped();
    for (const auto& client : clients_) {
      client->sweep(now);
      if (stopped) client->wake();
    }
  }
}

}  // namespace headrace::load
