#include "service/pipeline/channel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "service/pipeline/spawn.hpp"
#include "tests/service/pipeline/support.hpp"

namespace headrace::pipeline {
namespace {

using Item = std::unique_ptr<int>;
using Queue = Channel<Item>;

// An operation started without a coroutine: its outcome, its cancellation signal, how often it completed.
struct Push {
  asio::cancellation_signal signal;
  std::optional<PushStatus> status;
  Item returned;
  int completions = 0;

  void start(Queue& queue, asio::io_context& context, int value) {
    queue.async_push(std::make_unique<int>(value),
                     asio::bind_cancellation_slot(
                         signal.slot(), asio::bind_executor(context, [this](PushStatus s, std::optional<Item> item) {
                           status = s;
                           if (item) returned = std::move(*item);
                           ++completions;
                         })));
  }
};
struct Pop {
  asio::cancellation_signal signal;
  std::optional<PopStatus> status;
  Item item;
  int completions = 0;

  void start(Queue& queue, asio::io_context& context) {
    queue.async_pop(asio::bind_cancellation_slot(
        signal.slot(), asio::bind_executor(context, [this](PopStatus s, std::optional<Item> got) {
          status = s;
          if (got) item = std::move(*got);
          ++completions;
        })));
  }
};
struct Watch {
  asio::cancellation_signal signal;
  std::optional<PopStatus> status;
  int completions = 0;

  void start(Queue& queue, asio::io_context& context) {
    queue.async_wait_ready(
        asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(context, [this](PopStatus s) {
                                       status = s;
                                       ++completions;
                                     })));
  }
};

void settle(asio::io_context& context) {
  context.restart();
  context.poll();
}

PushStatus push(Queue& queue, int value) {
  auto item = std::make_unique<int>(value);
  const auto status = queue.try_push(item);
  EXPECT_EQ(item == nullptr, status == PushStatus::ok) << "the item is moved from only when it was taken";
  return status;
}
std::vector<int> drain(Queue& queue) {
  std::vector<int> values;
  while (auto item = queue.try_pop()) values.push_back(**item);
  return values;
}

// ---- the five faults of the library's own channel ----

TEST(Channel, CloseLosesNothing) {
  asio::io_context context(1);
  Queue queue(3);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(push(queue, i), PushStatus::ok);
  queue.close();
  queue.close();
  EXPECT_TRUE(queue.closed());
  EXPECT_EQ(push(queue, 9), PushStatus::closed);
  EXPECT_EQ(queue.size(), 3u);
  std::array<Pop, 4> pops;
  for (auto& pop : pops) pop.start(queue, context);
  settle(context);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(pops[static_cast<std::size_t>(i)].status, PopStatus::ok);
    EXPECT_EQ(*pops[static_cast<std::size_t>(i)].item, i);
  }
  EXPECT_EQ(pops[3].status, PopStatus::closed);
}

TEST(Channel, SendersWakeAtCloseAndGetTheirItemBack) {
  asio::io_context context(1);
  Queue queue(1);
  ASSERT_EQ(push(queue, 0), PushStatus::ok);
  std::array<Push, 3> pushes;
  for (int i = 0; i < 3; ++i) pushes[static_cast<std::size_t>(i)].start(queue, context, 10 + i);
  settle(context);
  for (auto& p : pushes) ASSERT_FALSE(p.status);
  queue.close();
  settle(context);
  for (int i = 0; i < 3; ++i) {
    const auto& p = pushes[static_cast<std::size_t>(i)];
    EXPECT_EQ(p.status, PushStatus::closed);
    ASSERT_TRUE(p.returned);
    EXPECT_EQ(*p.returned, 10 + i);
    EXPECT_EQ(p.completions, 1);
  }
  EXPECT_EQ(drain(queue), std::vector{0});
}

TEST(Channel, CancelledReceiveDoesNotPoison) {
  asio::io_context context(1);
  Queue queue(2);
  Pop pop;
  pop.start(queue, context);
  pop.signal.emit(asio::cancellation_type::terminal);
  EXPECT_FALSE(pop.status) << "a completion never runs inside a call";
  settle(context);
  EXPECT_EQ(pop.status, PopStatus::cancelled);
  EXPECT_EQ(push(queue, 1), PushStatus::ok);
  Push second;
  second.start(queue, context, 2);
  settle(context);
  EXPECT_EQ(second.status, PushStatus::ok);
  EXPECT_EQ(drain(queue), (std::vector{1, 2}));
}

struct TimeoutCounts {
  int produced_max = 0;
  int pushed = 0;
  int popped = 0;
  int timeouts = 0;
  std::vector<int> seen;
};

// A real timer against a real wait: a time-out must mean that nothing was moved.
Awaitable<> produce_with_timeouts(Queue& queue, TimeoutCounts& counts, int first, int step) {
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor);
  for (int value = first; value < counts.produced_max; value += step) {
    auto item = std::make_unique<int>(value);
    for (;;) {
      asio::cancellation_signal signal;
      timer.expires_after(std::chrono::microseconds(30));
      timer.async_wait([&signal](const boost::system::error_code& error) {
        if (!error) signal.emit(asio::cancellation_type::total);
      });
      auto [status, back] =
          co_await queue.async_push(std::move(item), asio::bind_cancellation_slot(signal.slot(), use_result));
      timer.cancel();
      co_await asio::post(executor, use_result);  // the timer's handler has seen its signal
      if (status == PushStatus::ok) break;
      EXPECT_EQ(status, PushStatus::cancelled);
      ++counts.timeouts;
      item = std::move(back.value());
      EXPECT_EQ(*item, value);
    }
    ++counts.pushed;
  }
}
Awaitable<> consume_with_timeouts(Queue& queue, TimeoutCounts& counts) {
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor);
  while (counts.popped < counts.produced_max) {
    asio::cancellation_signal signal;
    timer.expires_after(std::chrono::microseconds(30));
    timer.async_wait([&signal](const boost::system::error_code& error) {
      if (!error) signal.emit(asio::cancellation_type::total);
    });
    auto [status, item] = co_await queue.async_pop(asio::bind_cancellation_slot(signal.slot(), use_result));
    timer.cancel();
    co_await asio::post(executor, use_result);
    if (status == PopStatus::ok) {
      ++counts.popped;
      counts.seen.push_back(**item);
    } else {
      EXPECT_EQ(status, PopStatus::cancelled);
      ++counts.timeouts;
    }
  }
}

TEST(Channel, TimeoutsAreExact) {
  asio::io_context context(1);
  Queue queue(2);
  TimeoutCounts counts{.produced_max = static_cast<int>(test::rounds(80'000)), .seen = {}};
  for (int p = 0; p < 4; ++p) {
    spawn(context.get_executor(), produce_with_timeouts(queue, counts, p, 4), "producer");
  }
  for (int c = 0; c < 2; ++c) spawn(context.get_executor(), consume_with_timeouts(queue, counts), "consumer");
  context.run();
  EXPECT_EQ(counts.pushed, counts.produced_max);
  EXPECT_EQ(counts.popped, counts.produced_max);
  std::sort(counts.seen.begin(), counts.seen.end());
  std::vector<int> expected(static_cast<std::size_t>(counts.produced_max));
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(counts.seen, expected);
  EXPECT_EQ(queue.size(), 0u);
  RecordProperty("timeouts", counts.timeouts);
}

// The fifth, "works on several threads", is channel_race_test.cpp.

// ---- the contract, one line each ----

TEST(Channel, TryPushIsFullAtCapacityAndDoesNotOvertakeAWaitingSender) {
  asio::io_context context(1);
  Queue queue(1);
  ASSERT_EQ(push(queue, 0), PushStatus::ok);
  EXPECT_EQ(push(queue, 9), PushStatus::full);
  Push waiting;
  waiting.start(queue, context, 1);
  EXPECT_EQ(**queue.try_pop(), 0);
  EXPECT_EQ(push(queue, 9), PushStatus::full) << "the waiting sender has the room";
  settle(context);
  EXPECT_EQ(waiting.status, PushStatus::ok);
  EXPECT_FALSE(waiting.returned);
  EXPECT_EQ(drain(queue), std::vector{1});
}

TEST(Channel, SendersAndReceiversAreServedInOrder) {
  asio::io_context context(1);
  Queue queue(1);
  std::array<Pop, 3> pops;
  for (auto& pop : pops) pop.start(queue, context);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(push(queue, i), PushStatus::ok);
  settle(context);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(*pops[static_cast<std::size_t>(i)].item, i);

  std::array<Push, 4> pushes;
  for (int i = 0; i < 4; ++i) pushes[static_cast<std::size_t>(i)].start(queue, context, i);
  EXPECT_EQ(drain(queue), (std::vector{0, 1, 2, 3}));
}

TEST(Channel, CancelledSenderGetsItsItemBackAndTheOthersMoveUp) {
  asio::io_context context(1);
  Queue queue(1);
  std::array<Push, 4> pushes;
  for (int i = 0; i < 4; ++i) pushes[static_cast<std::size_t>(i)].start(queue, context, i);
  pushes[2].signal.emit(asio::cancellation_type::partial);
  settle(context);
  EXPECT_EQ(pushes[2].status, PushStatus::cancelled);
  EXPECT_EQ(*pushes[2].returned, 2);
  EXPECT_EQ(drain(queue), (std::vector{0, 1, 3}));
}

TEST(Channel, CancellationAfterTheOutcomeChangesNothing) {
  asio::io_context context(1);
  Queue queue(1);
  Pop pop;
  pop.start(queue, context);
  ASSERT_EQ(push(queue, 7), PushStatus::ok);
  pop.signal.emit(asio::cancellation_type::terminal);  // handed over, not yet completed
  settle(context);
  EXPECT_EQ(pop.status, PopStatus::ok);
  EXPECT_EQ(*pop.item, 7);
  pop.signal.emit(asio::cancellation_type::terminal);  // completed
  settle(context);
  EXPECT_EQ(pop.completions, 1);
}

TEST(Channel, AllTypesOfCancellationCount) {
  asio::io_context context(1);
  Queue queue(1);
  for (const auto type : {asio::cancellation_type::terminal, asio::cancellation_type::partial,
                          asio::cancellation_type::total, asio::cancellation_type::all}) {
    Pop pop;
    pop.start(queue, context);
    pop.signal.emit(asio::cancellation_type::none);
    settle(context);
    EXPECT_FALSE(pop.status);
    pop.signal.emit(type);
    settle(context);
    EXPECT_EQ(pop.status, PopStatus::cancelled);
  }
}

TEST(Channel, WaitReadyTakesNothing) {
  asio::io_context context(1);
  Queue queue(4);
  Watch watch;
  watch.start(queue, context);
  settle(context);
  EXPECT_FALSE(watch.status);
  push(queue, 1);
  settle(context);
  EXPECT_EQ(watch.status, PopStatus::ok);
  EXPECT_EQ(queue.size(), 1u);
  Watch again;
  again.start(queue, context);
  EXPECT_FALSE(again.status) << "a completion never runs inside a call";
  settle(context);
  EXPECT_EQ(again.status, PopStatus::ok);
}

TEST(Channel, WaitReadyGoesOnWaitingWhenAnotherTookTheItem) {
  asio::io_context context(1);
  Queue queue(4);
  Watch watch;
  watch.start(queue, context);
  push(queue, 1);
  EXPECT_EQ(drain(queue), std::vector{1});
  settle(context);
  EXPECT_FALSE(watch.status);
  push(queue, 2);
  settle(context);
  EXPECT_EQ(watch.status, PopStatus::ok);
}

TEST(Channel, WaitReadyCancelledBetweenWakeUpAndSecondLookDoesNotHang) {
  asio::io_context context(1);
  Queue queue(4);
  Watch watch;
  watch.start(queue, context);
  push(queue, 1);
  watch.signal.emit(asio::cancellation_type::terminal);
  EXPECT_EQ(drain(queue), std::vector{1});
  settle(context);
  EXPECT_EQ(watch.status, PopStatus::cancelled);
  Watch second;
  second.start(queue, context);
  push(queue, 1);
  second.signal.emit(asio::cancellation_type::terminal);
  settle(context);
  EXPECT_EQ(second.status, PopStatus::ok) << "there is something, so the signal came too late";
}

TEST(Channel, WaitReadyIsClosedOnlyWhenDrained) {
  asio::io_context context(1);
  Queue queue(4);
  push(queue, 1);
  queue.close();
  Watch watch;
  watch.start(queue, context);
  settle(context);
  EXPECT_EQ(watch.status, PopStatus::ok);
  drain(queue);
  Watch after;
  after.start(queue, context);
  settle(context);
  EXPECT_EQ(after.status, PopStatus::closed);
}

TEST(Channel, CloseWakesReceiversAndWatchers) {
  asio::io_context context(1);
  Queue queue(4);
  Pop pop;
  Watch watch;
  pop.start(queue, context);
  watch.start(queue, context);
  queue.close();
  settle(context);
  EXPECT_EQ(pop.status, PopStatus::closed);
  EXPECT_EQ(watch.status, PopStatus::closed);
}

TEST(Channel, WithStoreWakesAllWhoCanGoOn) {
  asio::io_context context(1);
  Queue queue(3);
  std::array<Push, 5> pushes;
  for (int i = 0; i < 5; ++i) pushes[static_cast<std::size_t>(i)].start(queue, context, i);
  std::vector<int> taken;
  const std::size_t left = queue.with_store([&taken](Fifo<Item>& store) {
    taken.push_back(*store.pop());
    taken.push_back(*store.pop());
    return store.size();
  });
  EXPECT_EQ(left, 1u);
  EXPECT_EQ(queue.size(), 3u);
  settle(context);
  for (auto& p : pushes) EXPECT_EQ(p.status, PushStatus::ok);
  EXPECT_EQ(drain(queue), (std::vector{2, 3, 4}));

  Pop pop;
  Watch watch;
  pop.start(queue, context);
  watch.start(queue, context);
  queue.with_store([](Fifo<Item>& store) {
    store.push(std::make_unique<int>(8));
    store.push(std::make_unique<int>(9));
  });
  settle(context);
  EXPECT_EQ(*pop.item, 8);
  EXPECT_EQ(watch.status, PopStatus::ok);
}

TEST(Channel, WithStoreThatThrowsLeavesTheChannelUsable) {
  asio::io_context context(1);
  Queue queue(1);
  Push waiting;
  push(queue, 0);
  waiting.start(queue, context, 1);
  EXPECT_THROW(queue.with_store([](Fifo<Item>& store) {
    store.pop();
    throw std::runtime_error("no");
  }),
               std::runtime_error);
  settle(context);
  EXPECT_EQ(waiting.status, PushStatus::ok);
}

// A store where the room depends on the item: the first sender keeps its place even when a later one would fit.
class Weighted {
 public:
  explicit Weighted(std::size_t capacity) : capacity_(capacity) {}
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  bool has_room(const Item& item) const { return held_ + static_cast<std::size_t>(*item) <= capacity_; }
  void push(Item&& item) {
    held_ += static_cast<std::size_t>(*item);
    items_.push_back(std::move(item));
  }
  Item pop() {
    Item item = std::move(items_.front());
    items_.erase(items_.begin());
    held_ -= static_cast<std::size_t>(*item);
    return item;
  }

 private:
  std::size_t capacity_;
  std::size_t held_ = 0;
  std::vector<Item> items_;
};

TEST(Channel, BigSenderIsNotStarvedAndItsCancellationLetsTheNextIn) {
  asio::io_context context(1);
  Channel<Item, Weighted> queue(10);
  auto eight = std::make_unique<int>(8);
  ASSERT_EQ(queue.try_push(eight), PushStatus::ok);
  asio::cancellation_signal signal;
  std::optional<PushStatus> big;
  std::optional<PushStatus> small;
  queue.async_push(
      std::make_unique<int>(9),
      asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(context, [&](PushStatus s, auto) { big = s; })));
  queue.async_push(std::make_unique<int>(1), asio::bind_executor(context, [&](PushStatus s, auto) { small = s; }));
  auto one = std::make_unique<int>(1);
  EXPECT_EQ(queue.try_push(one), PushStatus::full);
  settle(context);
  EXPECT_FALSE(small);
  signal.emit(asio::cancellation_type::terminal);
  settle(context);
  EXPECT_EQ(big, PushStatus::cancelled);
  EXPECT_EQ(small, PushStatus::ok);
}

TEST(Channel, WaitingOperationsKeepTheirContextRunning) {
  asio::io_context context(1);
  Queue queue(1);
  Pop pop;
  pop.start(queue, context);
  context.poll();
  EXPECT_FALSE(context.stopped()) << "an operation that waits is work";
  push(queue, 3);
  context.run();
  EXPECT_EQ(*pop.item, 3);
}

// ---- destruction ----

TEST(Channel, DestructionClosesAndCompletesAllThatWait) {
  asio::io_context context(1);
  std::optional<Queue> full(std::in_place, std::size_t{1});
  std::optional<Queue> empty(std::in_place, std::size_t{1});
  push(*full, 0);
  std::array<Push, 2> pushes;
  for (auto& p : pushes) p.start(*full, context, 5);
  Pop pop;
  Watch watch;
  pop.start(*empty, context);
  watch.start(*empty, context);
  full.reset();
  empty.reset();
  for (auto& p : pushes) p.signal.emit(asio::cancellation_type::terminal);
  pop.signal.emit(asio::cancellation_type::terminal);
  watch.signal.emit(asio::cancellation_type::terminal);
  settle(context);
  for (auto& p : pushes) {
    EXPECT_EQ(p.status, PushStatus::closed);
    EXPECT_EQ(*p.returned, 5);
  }
  EXPECT_EQ(pop.status, PopStatus::closed);
  EXPECT_EQ(watch.status, PopStatus::closed);
  watch.signal.emit(asio::cancellation_type::terminal);  // a signal may outlive both
}

TEST(Channel, DestructionDestroysTheItemsInsideAtOnce) {
  asio::io_context context(1);
  const auto item = std::make_shared<int>(1);
  std::optional<pipeline::Channel<std::shared_ptr<int>>> queue(std::in_place, std::size_t{4});
  std::optional<PopStatus> status;
  queue->async_wait_ready(asio::bind_executor(context, [&](PopStatus s) { status = s; }));
  auto copy = item;
  ASSERT_EQ(queue->try_push(copy), PushStatus::ok);
  queue.reset();
  EXPECT_EQ(item.use_count(), 1) << "though a woken operation has not looked again yet";
  settle(context);
  EXPECT_EQ(status, PopStatus::closed);
}

Awaitable<> pop_forever(Channel<std::shared_ptr<int>>& queue) {
  for (;;) {
    auto [status, item] = co_await queue.async_pop(use_result);
    if (status != PopStatus::ok) co_return;
  }
}

TEST(Channel, ContextDestroyedWithACompletionInsideFreesItsItem) {
  const auto item = std::make_shared<int>(1);
  Channel<std::shared_ptr<int>> queue(1);
  {
    asio::io_context context(1);
    spawn(context.get_executor(), pop_forever(queue), "receiver");
    context.poll();
    auto copy = item;
    ASSERT_EQ(queue.try_push(copy), PushStatus::ok);
    EXPECT_EQ(item.use_count(), 2);
  }
  EXPECT_EQ(item.use_count(), 1);
}

// A coroutine that is cancelled as a whole, as co_spawn's slot does it.
Awaitable<> pop_until_cancelled(Queue& queue, std::optional<PopStatus>& status) {
  auto [outcome, item] = co_await queue.async_pop(use_result);
  status = outcome;
}

TEST(Channel, CoroutineCancellationReachesTheOperation) {
  asio::io_context context(1);
  Queue queue(1);
  asio::cancellation_signal signal;
  std::optional<PopStatus> status;
  asio::co_spawn(
      context, pop_until_cancelled(queue, status),
      asio::bind_cancellation_slot(signal.slot(), [](std::exception_ptr escaped) { EXPECT_FALSE(escaped); }));
  settle(context);
  signal.emit(asio::cancellation_type::terminal);
  settle(context);
  EXPECT_EQ(status, PopStatus::cancelled);
}

// Any executor: coroutines of the general type on strands of a thread pool.
asio::awaitable<void> push_many(Queue& queue, int count) {
  for (int i = 0; i < count; ++i) {
    auto item = std::make_unique<int>(i);
    co_await queue.async_push(std::move(item), asio::as_tuple(asio::use_awaitable));
  }
  queue.close();
}
asio::awaitable<void> pop_many(Queue& queue, int& sum) {
  for (;;) {
    auto [status, item] = co_await queue.async_pop(asio::as_tuple(asio::use_awaitable));
    if (status != PopStatus::ok) co_return;
    sum += **item;
  }
}

TEST(Channel, WorksOnAnyExecutor) {
  asio::thread_pool pool(2);
  Queue queue(3);
  int sum = 0;
  spawn(asio::make_strand(pool), push_many(queue, 1'000), "sender");
  spawn(asio::make_strand(pool), pop_many(queue, sum), "receiver");
  pool.join();
  EXPECT_EQ(sum, 999 * 1'000 / 2);
}

}  // namespace
}  // namespace headrace::pipeline
