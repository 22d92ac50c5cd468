#include "service/pipeline/batcher.hpp"

#include <boost/asio/post.hpp>

#include "service/pipeline/mailbox.hpp"
#include "service/pipeline/request.hpp"
#include "service/pipeline/spawn.hpp"

namespace headrace::pipeline {

namespace {

using telemetry::Clock;
using telemetry::Stage;

// How late a deadline may be noticed while requests wait; nothing runs while none do.
constexpr std::chrono::milliseconds expiry_period{2};

}  // namespace

Batcher::Batcher(const Executor& executor, std::shared_ptr<ServedModel> model, Slots& slots, Flights& flights,
                 std::atomic<std::uint64_t>& flight_numbers)
    : executor_(executor),
      model_(std::move(model)),
      slots_(slots),
      flights_(flights),
      flight_numbers_(flight_numbers),
      hold_timer_(executor),
      expiry_timer_(executor) {
  while (model_->work.size() < slots_.rings()) model_->work.emplace_back();
}

void Batcher::start() {
  model_->end_hold = [this] { asio::post(executor_, [this] { hold_timer_.cancel(); }); };
  spawn(executor_, run(), "batcher");
  spawn(executor_, expire(), "expiry");
}

Awaitable<> Batcher::run() {
  for (;;) {
    if (stranded_.empty()) {
      const auto [status] = co_await model_->queue.async_wait_ready(use_result);
      if (status != PopStatus::ok) break;
      if (model_->description.max_queue_delay_us != 0) co_await hold_back();
    }
    const auto turned = Clock::now();
    auto slot = slots_.free().try_pop();
    if (!slot) {
      auto [popped, freed] = co_await slots_.free().async_pop(use_result);
      slot = freed;
    }
    if (slot) {
      board(*slot, turned);
    } else {
      refuse_all();
    }
  }
  drained_.store(true, std::memory_order_release);
}

void Batcher::board(SlotRef slot, Clock::time_point turned) {
  if (!slots_.usable(slot)) {  // lost since the slot was free; it is not anybody's any more
    slots_.look_for_losses();
    return;
  }
  slots_.ring(slot.ring).acquire(slot.slot);
  Flight& flight = *flights_[slot.ring][slot.slot];
  const auto in_hand = Clock::now();
  bool boarded = !stranded_.empty();
  if (boarded) {
    flight.requests().swap(stranded_);
    for (const auto& request : flight.requests()) request->timeline.end(Stage::slot, in_hand);
  } else {
    boarded = take(flight, turned, in_hand);
  }
  const bool usable = slots_.usable(slot);
  if (boarded && usable) {
    flight.start(model_, flight_numbers_.fetch_add(1, std::memory_order_relaxed) + 1);
    return;
  }
  if (boarded) stranded_.swap(flight.requests());
  slots_.give_back(slot);
  if (!usable) slots_.look_for_losses();
}

Awaitable<> Batcher::hold_back() {
  // Said before looking: who pushes or closes after the look sees it, and ends the hold.
  model_->holding.store(true, std::memory_order_release);
  for (;;) {
    const auto now = Clock::now();
    const auto decision = model_->queue.with_store(
        [this, now](RequestBacklog& backlog) { return model_->policy.decide(backlog.view(), now); });
    if (decision.action != BatchDecision::Action::wait || model_->queue.closed()) break;
    hold_timer_.expires_at(decision.until);
    co_await hold_timer_.async_wait(use_result);
  }
  model_->holding.store(false, std::memory_order_release);
}

bool Batcher::take(Flight& flight, Clock::time_point turned, Clock::time_point in_hand) {
  expire_until(in_hand);  // the sweep may not have come yet
  take_from_queue();
  auto& requests = flight.requests();
  for (auto& item : taken_) {
    item.request->timeline.end(Stage::queue, turned);
    item.request->timeline.end(Stage::slot, in_hand);
    requests.push_back(std::move(item.request));
  }
  return !requests.empty();
}

void Batcher::take_from_queue() {
  taken_.clear();
  model_->queue.with_store([this](RequestBacklog& backlog) {
    const auto claim = [](const std::shared_ptr<Request>& request) { return request->state.try_take(); };
    backlog.take(model_->limits, claim, taken_, dropped_);
  });
  dropped_.clear();  // their clients left: their own sessions counted them and gave their memory back
}

void Batcher::refuse_all() {
  const auto now = Clock::now();
  const auto refuse = [now](std::shared_ptr<Request> request, Stage ended) {
    answer(std::move(request), ended, now, {proto::ErrorCode::not_ready, "the device was lost"});
  };
  for (auto& request : stranded_) refuse(std::move(request), Stage::slot);
  stranded_.clear();
  expire_until(now);
  do {
    take_from_queue();
    for (auto& item : taken_) refuse(std::move(item.request), Stage::queue);
  } while (!taken_.empty());
}

void Batcher::answer(std::shared_ptr<Request> request, Stage ended, Clock::time_point now, proto::Error error) {
  request->timeline.end(ended, now);
  request->error = std::move(error);
  Mailbox* const home = request->home;
  home->post(std::move(request));
}

Awaitable<> Batcher::expire() {
  for (;;) {
    const auto [status] = co_await model_->queue.async_wait_ready(use_result);
    if (status != PopStatus::ok) co_return;
    expiry_timer_.expires_after(expiry_period);
    co_await expiry_timer_.async_wait(use_result);
    expire_until(Clock::now());
  }
}

void Batcher::expire_until(Clock::time_point now) {
  std::vector<QueuedRequest> expired;
  std::vector<QueuedRequest> dropped;
  model_->queue.with_store([&expired, &dropped, now](RequestBacklog& backlog) {
    const auto claim = [](const std::shared_ptr<Request>& request) { return request->state.try_expire(); };
    backlog.expire(now, claim, expired, dropped);
  });
  for (auto& item : expired) {
    answer(std::move(item.request), Stage::queue, now,
           {proto::ErrorCode::deadline_expired, "the request's time ran out in the queue"});
  }
}

}  // namespace headrace::pipeline
