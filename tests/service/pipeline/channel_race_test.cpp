// The channel between threads: what was sent arrives once, whatever is cancelled, closed or destroyed meanwhile.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "service/pipeline/channel.hpp"
#include "service/pipeline/spawn.hpp"
#include "tests/service/pipeline/support.hpp"

namespace headrace::pipeline {
namespace {

using Item = std::unique_ptr<std::uint32_t>;
using Queue = Channel<Item>;

constexpr std::uint32_t jitter_max = 400;

// ---- many producers, many consumers ----

struct Load {
  std::uint32_t producers = 0;
  std::uint32_t consumers = 0;
  std::uint32_t each = 0;  // items a producer
  std::size_t capacity = 0;
  std::size_t threads = 0;
  bool try_first = false;
};

struct Received {
  std::vector<std::vector<std::uint32_t>> by_consumer;
  std::atomic<std::uint32_t> producers_left;
};

Awaitable<> produce(Queue& queue, Received& received, std::uint32_t producer, Load load) {
  for (std::uint32_t i = 0; i < load.each; ++i) {
    auto item = std::make_unique<std::uint32_t>(producer * load.each + i);
    if (load.try_first && queue.try_push(item) == PushStatus::ok) continue;
    auto [status, back] = co_await queue.async_push(std::move(item), use_result);
    EXPECT_EQ(status, PushStatus::ok);
    EXPECT_FALSE(back);
  }
  if (--received.producers_left == 0) queue.close();
}

Awaitable<> consume(Queue& queue, std::vector<std::uint32_t>& seen, Load load) {
  for (;;) {
    if (load.try_first) {
      if (auto item = queue.try_pop()) {
        seen.push_back(**item);
        continue;
      }
    }
    auto [status, item] = co_await queue.async_pop(use_result);
    if (status != PopStatus::ok) {
      EXPECT_EQ(status, PopStatus::closed);
      co_return;
    }
    seen.push_back(**item);
  }
}

void run_load(const Load& load) {
  Queue queue(load.capacity);
  Received received{.by_consumer{load.consumers}, .producers_left{load.producers}};
  test::Threads threads(load.threads);
  for (std::uint32_t c = 0; c < load.consumers; ++c) {
    spawn(threads[c], consume(queue, received.by_consumer[c], load), "consumer");
  }
  for (std::uint32_t p = 0; p < load.producers; ++p) {
    spawn(threads[load.consumers + p], produce(queue, received, p, load), "producer");
  }
  threads.run();
  std::vector<std::uint32_t> times(std::size_t{load.producers} * load.each);
  for (const auto& seen : received.by_consumer) {
    std::vector<std::uint32_t> last(load.producers, 0);
    for (const std::uint32_t value : seen) {
      ++times[value];
      const std::uint32_t producer = value / load.each;
      EXPECT_LE(last[producer], value % load.each) << "one producer's items overtook each other";
      last[producer] = value % load.each;
    }
  }
  EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](std::uint32_t n) { return n == 1; }));
}

TEST(ChannelRace, WorksOnSeveralThreads) {
  for (const bool try_first : {false, true}) {
    for (const std::size_t capacity : {1u, 2u, 64u}) {
      SCOPED_TRACE(testing::Message() << "capacity " << capacity << (try_first ? ", try first" : ", await"));
      run_load({.producers = 8,
                .consumers = 2,
                .each = test::rounds(20'000),
                .capacity = capacity,
                .threads = 4,
                .try_first = try_first});
      run_load({.producers = 2,
                .consumers = 6,
                .each = test::rounds(40'000),
                .capacity = capacity,
                .threads = 3,
                .try_first = try_first});
    }
  }
}

TEST(ChannelRace, WorksOnOneContextOfSeveralThreads) {
  Queue queue(8);
  const Load load{
      .producers = 6, .consumers = 3, .each = test::rounds(20'000), .capacity = 8, .threads = 3, .try_first = false};
  Received received{.by_consumer{load.consumers}, .producers_left{load.producers}};
  asio::io_context context;
  for (std::uint32_t c = 0; c < load.consumers; ++c) {
    spawn(context.get_executor(), consume(queue, received.by_consumer[c], load), "consumer");
  }
  for (std::uint32_t p = 0; p < load.producers; ++p) {
    spawn(context.get_executor(), produce(queue, received, p, load), "producer");
  }
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < load.threads; ++i) threads.emplace_back([&context] { context.run(); });
  for (auto& thread : threads) thread.join();
  std::size_t count = 0;
  for (const auto& seen : received.by_consumer) count += seen.size();
  EXPECT_EQ(count, std::size_t{load.producers} * load.each);
}

// ---- cancel against complete: each starts an operation, emits, and sees what happened; the other side runs freely
// ----

struct Outcomes {
  std::uint32_t ok = 0;
  std::uint32_t cancelled = 0;
};

void run_until(asio::io_context& context, const bool& done) {
  while (!done) {
    context.restart();
    context.run_one();
  }
}

// Sends 0, 1, 2, … and closes.
std::uint32_t send_all(Queue& queue, std::uint32_t in_release, std::uint32_t pause_max) {
  test::Jitter jitter(2);
  std::uint32_t sent = 0;
  for (test::Effort effort(in_release); effort.more(); ++sent) {
    auto item = std::make_unique<std::uint32_t>(sent);
    while (queue.try_push(item) != PushStatus::ok) std::this_thread::yield();
    jitter.pause(pause_max);
  }
  queue.close();
  return sent;
}

// One receive after another, each cancelled a moment later, until the queue is closed.
Outcomes receive_and_cancel(Queue& queue) {
  asio::io_context context(1);
  test::Jitter jitter(1);
  Outcomes outcomes;
  for (bool closed = false; !closed;) {
    asio::cancellation_signal signal;
    bool done = false;
    queue.async_pop(asio::bind_cancellation_slot(
        signal.slot(), asio::bind_executor(context, [&](PopStatus status, std::optional<Item> item) {
          done = true;
          closed = status == PopStatus::closed;
          EXPECT_EQ(item.has_value(), status == PopStatus::ok);
          if (item) {
            EXPECT_EQ(**item, outcomes.ok);
            ++outcomes.ok;
          } else if (!closed && ++outcomes.cancelled % 16 == 0) {
            std::this_thread::yield();  // the other side may need this core
          }
        })));
    jitter.pause(jitter_max);
    signal.emit(asio::cancellation_type::terminal);
    run_until(context, done);
  }
  return outcomes;
}

TEST(ChannelRace, CancelAgainstReceive) {
  Queue queue(4);
  std::uint32_t sent = 0;
  std::thread sender([&] { sent = send_all(queue, 200'000, 2 * jitter_max); });
  const Outcomes outcomes = receive_and_cancel(queue);
  sender.join();
  EXPECT_EQ(outcomes.ok, sent);
  RecordProperty("items", std::to_string(outcomes.ok));
  RecordProperty("cancelled", std::to_string(outcomes.cancelled));
}

TEST(ChannelRace, CancelAgainstSend) {
  Queue queue(1);
  std::uint32_t received = 0;
  std::thread receiver([&queue, &received] {
    test::Jitter jitter(3);
    for (;;) {
      const bool last = queue.closed();
      if (auto item = queue.try_pop()) {
        EXPECT_EQ(**item, received);
        ++received;
      } else if (last) {
        return;
      } else {
        std::this_thread::yield();
      }
      jitter.pause(jitter_max);
    }
  });
  asio::io_context context(1);
  test::Jitter jitter(4);
  Outcomes outcomes;
  auto item = std::make_unique<std::uint32_t>(0);
  for (test::Effort effort(2'000'000); effort.more();) {
    asio::cancellation_signal signal;
    bool done = false;
    queue.async_push(std::move(item),
                     asio::bind_cancellation_slot(
                         signal.slot(), asio::bind_executor(context, [&](PushStatus status, std::optional<Item> back) {
                           done = true;
                           EXPECT_EQ(back.has_value(), status == PushStatus::cancelled);
                           if (!back) {
                             item = std::make_unique<std::uint32_t>(++outcomes.ok);
                           } else {
                             item = std::move(*back);
                             EXPECT_EQ(*item, outcomes.ok);
                             if (++outcomes.cancelled % 16 == 0) std::this_thread::yield();
                           }
                         })));
    jitter.pause(2 * jitter_max);
    signal.emit(asio::cancellation_type::partial);
    run_until(context, done);
  }
  queue.close();
  receiver.join();
  EXPECT_EQ(received, outcomes.ok);
  RecordProperty("items", std::to_string(outcomes.ok));
  RecordProperty("cancelled", std::to_string(outcomes.cancelled));
}

// A thief takes items between the wake-up and the second look.
TEST(ChannelRace, CancelAgainstWaitReadyWithAThief) {
  Queue queue(2);
  std::uint32_t sent = 0;
  std::atomic<std::uint32_t> taken{0};
  std::thread sender([&] { sent = send_all(queue, 200'000, jitter_max); });
  std::thread thief([&queue, &taken] {
    test::Jitter jitter(6);
    while (!queue.closed()) {
      if (queue.try_pop()) ++taken;
      jitter.pause(4 * jitter_max);
    }
  });
  asio::io_context context(1);
  test::Jitter jitter(7);
  for (bool closed = false; !closed;) {
    asio::cancellation_signal signal;
    bool done = false;
    queue.async_wait_ready(
        asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(context, [&](PopStatus status) {
                                       done = true;
                                       closed = status == PopStatus::closed;
                                       if (status == PopStatus::ok && queue.try_pop()) ++taken;
                                     })));
    jitter.pause(jitter_max);
    signal.emit(asio::cancellation_type::total);
    run_until(context, done);
  }
  sender.join();
  thief.join();
  EXPECT_EQ(taken, sent);
  RecordProperty("items", std::to_string(sent));
}

// ---- close and destroy, against everything ----

// Two threads that begin each round together, as far as the machine lets them.
class Rendezvous {
 public:
  void meet() {
    const std::uint32_t round = arrived_.fetch_add(1) / 2;
    while (arrived_.load() / 2 <= round) std::this_thread::yield();
  }

 private:
  std::atomic<std::uint32_t> arrived_{0};
};

TEST(ChannelRace, CloseAgainstCancel) {
  bool over = false;
  std::optional<Queue> full;
  std::optional<Queue> empty;
  Rendezvous meeting;
  std::thread closer([&] {
    test::Jitter jitter(8);
    for (;;) {
      meeting.meet();
      if (over) return;
      jitter.pause(jitter_max);
      full->close();
      empty->close();
      meeting.meet();
    }
  });
  asio::io_context context(1);
  test::Jitter jitter(9);
  std::uint32_t i = 0;
  for (test::Effort effort(20'000); effort.more(); ++i) {
    full.emplace(std::size_t{1});
    empty.emplace(std::size_t{1});
    auto first = std::make_unique<std::uint32_t>(0);
    EXPECT_EQ(full->try_push(first), PushStatus::ok);
    asio::cancellation_signal push_signal;
    asio::cancellation_signal pop_signal;
    int completions = 0;
    full->async_push(
        std::make_unique<std::uint32_t>(i),
        asio::bind_cancellation_slot(push_signal.slot(),
                                     asio::bind_executor(context, [&](PushStatus status, std::optional<Item> back) {
                                       ++completions;
                                       EXPECT_TRUE(status == PushStatus::closed || status == PushStatus::cancelled);
                                       EXPECT_EQ(*back.value(), i);
                                     })));
    empty->async_pop(asio::bind_cancellation_slot(
        pop_signal.slot(), asio::bind_executor(context, [&](PopStatus status, std::optional<Item> item) {
          ++completions;
          EXPECT_TRUE(status == PopStatus::closed || status == PopStatus::cancelled);
          EXPECT_FALSE(item);
        })));
    meeting.meet();
    jitter.pause(jitter_max);
    push_signal.emit(asio::cancellation_type::terminal);
    pop_signal.emit(asio::cancellation_type::terminal);
    meeting.meet();
    context.restart();
    context.run();
    EXPECT_EQ(completions, 2);
    EXPECT_EQ(full->size(), 1u);
  }
  over = true;
  meeting.meet();
  closer.join();
}

struct SendCounts {
  std::vector<std::uint32_t> accepted;
  std::vector<std::uint32_t> refused;
};

Awaitable<> send_until_closed(Queue& queue, SendCounts& counts, std::uint32_t first, bool try_first) {
  for (std::uint32_t value = first;; ++value) {
    auto item = std::make_unique<std::uint32_t>(value);
    PushStatus status = try_first ? queue.try_push(item) : PushStatus::full;
    if (status == PushStatus::full) {
      auto [outcome, back] = co_await queue.async_push(std::move(item), use_result);
      status = outcome;
      if (back) item = std::move(*back);
    }
    if (status == PushStatus::ok) {
      counts.accepted.push_back(value);
      continue;
    }
    EXPECT_EQ(status, PushStatus::closed);
    EXPECT_TRUE(item && *item == value);
    counts.refused.push_back(value);
    co_return;
  }
}

TEST(ChannelRace, CloseAgainstSend) {
  constexpr std::uint32_t senders = 4;
  constexpr std::uint32_t stride = 1u << 20;
  const std::uint32_t count = test::rounds(500);
  for (std::uint32_t round = 0; round < count; ++round) {
    Queue queue(1 + round % 5);
    std::vector<SendCounts> counts(senders);
    std::vector<std::uint32_t> seen;
    test::Threads threads(3);
    Load load{};
    load.try_first = round % 2 == 0;
    for (std::uint32_t s = 0; s < senders; ++s) {
      spawn(threads[s], send_until_closed(queue, counts[s], s * stride, s % 2 == 0), "sender");
    }
    spawn(threads[2], consume(queue, seen, load), "consumer");
    std::thread closer([&queue, round] {
      test::Jitter jitter(round + 1);
      jitter.pause(50'000);
      queue.close();
    });
    threads.run();
    closer.join();
    std::vector<std::uint32_t> accepted;
    for (const auto& c : counts) {
      accepted.insert(accepted.end(), c.accepted.begin(), c.accepted.end());
      EXPECT_EQ(c.refused.size(), 1u);
    }
    std::sort(accepted.begin(), accepted.end());
    std::sort(seen.begin(), seen.end());
    ASSERT_EQ(accepted, seen);
  }
}

// The owner destroys the channel while the cancelling thread still emits, and while woken operations are under way.
TEST(ChannelRace, DestructionAgainstCancel) {
  bool over = false;
  std::optional<Queue> queue;
  Rendezvous meeting;
  std::thread owner([&] {
    test::Jitter jitter(10);
    for (std::uint32_t i = 0;; ++i) {
      meeting.meet();
      if (over) return;
      jitter.pause(jitter_max);
      if (i % 2 == 0) {
        auto item = std::make_unique<std::uint32_t>(i);
        EXPECT_EQ(queue->try_push(item), PushStatus::ok);
      }
      queue.reset();
      meeting.meet();
    }
  });
  asio::io_context context(1);
  test::Jitter jitter(11);
  std::uint32_t i = 0;
  for (test::Effort effort(20'000); effort.more(); ++i) {
    queue.emplace(std::size_t{1});
    asio::cancellation_signal watch_signal;
    asio::cancellation_signal pop_signal;
    int completions = 0;
    queue->async_wait_ready(asio::bind_cancellation_slot(
        watch_signal.slot(), asio::bind_executor(context, [&](PopStatus) { ++completions; })));
    if (i % 4 < 2) {
      queue->async_pop(asio::bind_cancellation_slot(
          pop_signal.slot(), asio::bind_executor(context, [&](PopStatus, std::optional<Item>) { ++completions; })));
    }
    meeting.meet();
    jitter.pause(jitter_max);
    watch_signal.emit(asio::cancellation_type::terminal);
    pop_signal.emit(asio::cancellation_type::terminal);
    context.restart();
    context.run();
    EXPECT_EQ(completions, i % 4 < 2 ? 2 : 1);
    meeting.meet();
  }
  over = true;
  meeting.meet();
  owner.join();
}

}  // namespace
}  // namespace headrace::pipeline
