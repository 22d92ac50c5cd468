#include "service/pipeline/batcher.hpp"

#include <gtest/gtest.h>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <random>
#include <thread>

#include "service/pipeline/spawn.hpp"
#include "tests/service/pipeline/rig.hpp"
#include "tests/service/pipeline/support.hpp"

namespace headrace::pipeline {
namespace {

using support::Ending;
using test::Ask;
using test::Rig;

constexpr std::uint64_t minute_us = 60'000'000;

TEST(Batcher, AnIdleServiceAddsNoDelay) {
  Rig rig;
  const auto sent = rig.send({.rows = 3});
  rig.settle();
  ASSERT_EQ(rig.device.in_air().size(), 1u);
  EXPECT_EQ(rig.device.in_air()[0].rows, 3u);
  EXPECT_EQ(rig.device.in_air()[0].segments, 1u);
}

TEST(Batcher, ABatchStaysOpenUntilItsSlotIsInHand) {
  Rig rig;
  const auto first = rig.send({});
  rig.settle();
  std::vector<std::shared_ptr<Rig::Sent>> joined;
  for (int i = 0; i < 10; ++i) {
    joined.push_back(rig.send({.rows = 2, .first = static_cast<float>(i)}));
    rig.settle();  // the batcher turned to them and waits for the slot
    EXPECT_EQ(rig.device.submitted(), 1u);
  }
  rig.device.complete_first();
  rig.settle();
  ASSERT_EQ(rig.device.in_air().size(), 1u);
  EXPECT_EQ(rig.device.in_air()[0].segments, 10u);
  EXPECT_EQ(rig.device.in_air()[0].rows, 20u);
  rig.device.complete_first();
  rig.settle();
  for (const auto& sent : joined) EXPECT_EQ(sent->answers, 1);
}

TEST(Batcher, SeveralSlotsFlyAtOnce) {
  Rig rig({.slots = 3});
  std::vector<std::shared_ptr<Rig::Sent>> all;
  for (int i = 0; i < 5; ++i) {
    all.push_back(rig.send({}));
    rig.settle();
  }
  EXPECT_EQ(rig.device.in_air().size(), 3u);
  EXPECT_EQ(rig.model->queue.size(), 2u);
}

TEST(Batcher, RowsAndRequestsBoundABatch) {
  Rig rig({.rows_max = 10, .segments_max = 4});
  const auto first = rig.send({});
  rig.settle();
  const auto wide = rig.send_many(3, {.rows = 4});
  const auto narrow = rig.send_many(5, {.rows = 1});
  std::vector<std::pair<std::uint32_t, std::size_t>> batches;
  for (int i = 0; i < 3; ++i) {
    rig.device.complete_first();
    rig.settle();
    ASSERT_EQ(rig.device.in_air().size(), 1u);
    batches.emplace_back(rig.device.in_air()[0].rows, rig.device.in_air()[0].segments);
  }
  EXPECT_EQ(batches, (std::vector<std::pair<std::uint32_t, std::size_t>>{{8, 2}, {7, 4}, {2, 2}}));
}

TEST(Batcher, WhoLeftNeverReachesTheDevice) {
  Rig rig;
  const auto first = rig.send({});
  rig.settle();
  const auto sent = rig.send_many(6);
  for (const std::size_t i : {0u, 3u, 5u}) {
    sent[i]->request->leave();
    EXPECT_FALSE(sent[i]->request->body) << "its memory is given back at once";
  }
  rig.device.complete_first();
  rig.settle();
  ASSERT_EQ(rig.device.in_air().size(), 1u);
  EXPECT_EQ(rig.device.in_air()[0].segments, 3u);
  rig.device.complete_first();
  rig.settle();
  for (std::size_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(sent[i]->answers, 1);
    EXPECT_EQ(sent[i]->answered, i != 0 && i != 3 && i != 5);
  }
}

TEST(Batcher, ABatchOfWhoLeftGivesItsSlotBack) {
  Rig rig;
  const auto first = rig.send({});
  rig.settle();
  const auto sent = rig.send_many(3);
  for (const auto& each : sent) each->request->leave();
  rig.device.complete_first();
  rig.settle();
  EXPECT_EQ(rig.device.submitted(), 1u);
  EXPECT_EQ(rig.free_slots(), 1u);
}

TEST(Batcher, WhatExpiredInTheQueueIsAnsweredAndNeverReachesTheDevice) {
  Rig rig;
  const auto first = rig.send({});
  rig.settle();
  const auto patient = rig.send({});
  const auto hasty = rig.send({.timeout_us = 1});
  ASSERT_TRUE(rig.run_until([&] { return hasty->answers == 1; })) << "the sweep runs while all slots are in flight";
  ASSERT_TRUE(hasty->request->error);
  EXPECT_EQ(hasty->request->error->code, proto::ErrorCode::deadline_expired);
  EXPECT_EQ(patient->answers, 0);
  rig.device.complete_first();
  rig.settle();
  ASSERT_EQ(rig.device.in_air().size(), 1u);
  EXPECT_EQ(rig.device.in_air()[0].segments, 1u);
}

TEST(Batcher, AnExpiredOneIsNotTakenThoughTheSweepHasNotCome) {
  Rig rig;
  auto request = *rig.prepared({});
  const auto now = telemetry::Clock::now();
  QueuedRequest item{.request = request,
                     .entry = {.rows = 1, .enqueued = now, .deadline = now - std::chrono::microseconds(1)}};
  bool answered = false;
  request->async_wait(asio::bind_executor(rig.home.get_executor(), [&](bool told) { answered = told; }));
  ASSERT_EQ(rig.model->queue.try_push(item), PushStatus::ok);
  rig.settle();
  EXPECT_EQ(rig.device.submitted(), 0u);
  EXPECT_TRUE(answered);
  ASSERT_TRUE(request->error);
  EXPECT_EQ(request->error->code, proto::ErrorCode::deadline_expired);
}

TEST(Batcher, TheModelsTimeoutHoldsUnlessTheRequestsIsShorter) {
  Rig rig({.timeout_us = minute_us});
  const auto first = rig.send({});
  EXPECT_GT(first->request->deadline, telemetry::Clock::now() + std::chrono::seconds(30));
  const auto longer = rig.send({.timeout_us = 10 * minute_us});
  EXPECT_LE(longer->request->deadline, telemetry::Clock::now() + std::chrono::seconds(60));
  const auto absurd = rig.send({.timeout_us = UINT64_MAX});
  EXPECT_LE(absurd->request->deadline, telemetry::Clock::now() + std::chrono::seconds(60));
}

TEST(Batcher, AnEnormousTimeoutIsNone) {
  Rig rig;
  const auto sent = rig.send({.timeout_us = UINT64_MAX});
  rig.settle();
  EXPECT_EQ(rig.device.in_air().size(), 1u);
}

TEST(Batcher, TheQueueDelayHoldsASmallBatchBack) {
  Rig rig({.queue_delay_us = 20'000});
  const auto a = rig.send({});
  rig.settle();
  EXPECT_EQ(rig.device.submitted(), 0u);
  const auto b = rig.send({});
  rig.settle();
  EXPECT_TRUE(rig.model->holding);
  ASSERT_TRUE(rig.run_until([&] { return rig.device.submitted() == 1; }));
  EXPECT_EQ(rig.device.in_air()[0].segments, 2u);
  EXPECT_GE(telemetry::Clock::now() - a->request->timeline.begun(), std::chrono::microseconds(20'000));
}

TEST(Batcher, AFullBatchEndsTheHold) {
  Rig rig({.rows_max = 8, .queue_delay_us = minute_us});
  const auto some = rig.send_many(3, {.rows = 2});
  rig.settle();
  EXPECT_EQ(rig.device.submitted(), 0u);
  const auto last = rig.send({.rows = 2});
  rig.settle();
  ASSERT_EQ(rig.device.in_air().size(), 1u);
  EXPECT_EQ(rig.device.in_air()[0].rows, 8u);
  EXPECT_FALSE(rig.model->holding);
}

TEST(Batcher, AsManyRequestsAsABatchHoldsEndTheHold) {
  Rig rig({.rows_max = 64, .segments_max = 3, .queue_delay_us = minute_us});
  const auto some = rig.send_many(2);
  rig.settle();
  EXPECT_EQ(rig.device.submitted(), 0u);
  const auto last = rig.send({});
  rig.settle();
  ASSERT_EQ(rig.device.in_air().size(), 1u);
  EXPECT_EQ(rig.device.in_air()[0].segments, 3u);
}

TEST(Batcher, AHoldNeverLetsARequestExpire) {
  Rig rig({.queue_delay_us = minute_us});
  const auto patient = rig.send({});
  rig.settle();
  EXPECT_EQ(rig.device.submitted(), 0u);
  const auto hasty = rig.send({.timeout_us = minute_us / 2});
  rig.settle();
  ASSERT_EQ(rig.device.in_air().size(), 1u);
  EXPECT_EQ(rig.device.in_air()[0].segments, 2u);
}

TEST(Batcher, ClosingEndsTheHoldAndServesWhatIsQueued) {
  Rig rig({.queue_delay_us = minute_us});
  const auto sent = rig.send_many(2);
  rig.settle();
  EXPECT_EQ(rig.device.submitted(), 0u);
  rig.door->close();
  rig.settle();
  ASSERT_EQ(rig.device.in_air().size(), 1u);
  rig.device.complete_first();
  rig.settle();
  for (const auto& each : sent) EXPECT_FALSE(each->request->error);
}

TEST(Batcher, IsDrainedOnceTheClosedQueueIsEmpty) {
  Rig rig;
  const auto first = rig.send({});
  rig.settle();
  const auto second = rig.send({});
  rig.settle();
  rig.door->close();
  rig.settle();
  EXPECT_FALSE(rig.batcher->drained()) << "one still waits for the slot";
  const auto late = rig.prepared({});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, proto::ErrorCode::draining);
  rig.device.complete_first();
  rig.settle();
  EXPECT_TRUE(rig.batcher->drained());
  EXPECT_EQ(rig.device.in_air().size(), 1u) << "drained, not yet landed";
  rig.device.complete_first();
  rig.settle();
  EXPECT_TRUE(second->answered);
}

TEST(Batcher, AnEmptyQueueIsDrainedAtOnce) {
  Rig rig;
  rig.settle();
  EXPECT_FALSE(rig.batcher->drained());
  rig.door->close();
  rig.settle();
  EXPECT_TRUE(rig.batcher->drained());
}

TEST(Batcher, AfterTheDeviceIsLostWhatIsQueuedIsRefused) {
  Rig rig;
  rig.checks_memory = false;
  const auto first = rig.send({});
  rig.settle();
  const auto queued = rig.send_many(4);
  rig.device.complete_first(Ending::device_lost);
  rig.settle();
  for (const auto& each : queued) {
    ASSERT_EQ(each->answers, 1);
    ASSERT_TRUE(each->request->error);
    EXPECT_EQ(each->request->error->code, proto::ErrorCode::not_ready) << "it may be tried again elsewhere";
  }
  EXPECT_EQ(rig.device.submitted(), 1u);
  const auto refused = rig.prepared({});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, proto::ErrorCode::not_ready);
}

// --- the storm
// -------------------------------------------------------------------------------------------------------------

struct Tally {
  std::uint64_t sent = 0, right = 0, wrong = 0, failed = 0, expired = 0, left = 0, refused = 0;
};

void leave_later(std::shared_ptr<Request> request, const Executor& executor, std::uint32_t turns) {
  asio::post(executor, [request = std::move(request), executor, turns]() mutable {
    if (turns == 0) {
      request->leave();
    } else {
      leave_later(std::move(request), executor, turns - 1);
    }
  });
}

/// One client after the other on one home thread: each asks, perhaps leaves, and says what it got.
Awaitable<> client(Rig& rig, Mailbox& home, std::uint32_t seed, std::uint32_t requests, Tally& tally) {
  std::minstd_rand random(seed);
  const auto executor = home.executor();
  for (std::uint32_t i = 0; i < requests; ++i) {
    const Ask ask{.rows = static_cast<std::uint32_t>(random() % 12 + 1),
                  .first = static_cast<float>(random() % 1'000),
                  .timeout_us = random() % 4 == 0 ? random() % 3'000 + 1 : 0};
    auto request = rig.prepared(ask, home);
    if (request) {
      if (const auto submitted = rig.door->submit(*request); !submitted) request = tl::unexpected(submitted.error());
    }
    if (!request) {
      ++tally.refused;
      co_await asio::post(executor, asio::use_awaitable_t<Executor>{});
      continue;
    }
    ++tally.sent;
    // A client that leaves does so some turns of its thread later: before, while or after the device has it.
    if (random() % 4 == 0) {
      leave_later(*request, executor, static_cast<std::uint32_t>(random() % 16));
    }
    const bool answered = co_await (*request)->async_wait(asio::use_awaitable_t<Executor>{});
    const auto& error = (*request)->error;
    if (!answered) {
      ++tally.left;
    } else if (!error) {
      ++(test::answer_is_right(**request, ask) ? tally.right : tally.wrong);
    } else {
      ++(error->code == proto::ErrorCode::deadline_expired ? tally.expired : tally.failed);
    }
  }
}

class Storm : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Storm, EveryRequestIsAnsweredOnceAndEverythingComesHome) {
  constexpr std::size_t homes = 2;
  constexpr std::uint32_t clients = 12;
  const std::uint32_t each = test::rounds(1'000);
  Rig rig({.slots = 3,
           .rows_max = 24,
           .segments_max = 6,
           .queue_max = 16,
           .queue_delay_us = GetParam(),
           .memory_bytes = 131'072,
           .requests_max = 20});
  std::vector<Tally> tallies(homes * clients);
  std::atomic<std::size_t> running{homes * clients};
  std::atomic<bool> stop{false};

  std::vector<std::unique_ptr<asio::io_context>> contexts;
  std::vector<std::unique_ptr<Mailbox>> mailboxes;
  std::vector<asio::executor_work_guard<Executor>> guards;
  for (std::size_t h = 0; h < homes; ++h) {
    contexts.push_back(std::make_unique<asio::io_context>(1));
    mailboxes.push_back(std::make_unique<Mailbox>(contexts.back()->get_executor()));
    guards.emplace_back(contexts.back()->get_executor());
    for (std::uint32_t c = 0; c < clients; ++c) {
      const auto index = h * clients + c;
      asio::co_spawn(contexts[h]->get_executor(),
                     client(rig, *mailboxes[h], static_cast<std::uint32_t>(1'000 + index), each, tallies[index]),
                     [&running](std::exception_ptr escaped) {
                       EXPECT_EQ(escaped, nullptr);
                       running.fetch_sub(1);
                     });
    }
  }
  std::vector<std::thread> threads;
  for (auto& context : contexts) threads.emplace_back([&context] { context->run(); });
  std::thread pilot([&] {
    std::minstd_rand random(7);
    while (!stop) {
      if (rig.device.in_air().empty()) {
        std::this_thread::yield();
      } else {
        rig.device.complete_first(random() % 10 == 0 ? Ending::launch_failed : Ending::ok);
      }
    }
  });
  const bool ended = rig.run_until([&] { return running == 0 && rig.door->requests_in_flight() == 0; });
  stop = true;
  pilot.join();
  guards.clear();
  for (auto& context : contexts) {
    if (!ended) context->stop();
  }
  for (auto& thread : threads) thread.join();
  ASSERT_TRUE(ended) << running << " clients still wait";

  Tally sum;
  for (const auto& tally : tallies) {
    sum.sent += tally.sent;
    sum.right += tally.right;
    sum.wrong += tally.wrong;
    sum.failed += tally.failed;
    sum.expired += tally.expired;
    sum.left += tally.left;
    sum.refused += tally.refused;
  }
  EXPECT_EQ(sum.wrong, 0u);
  EXPECT_EQ(sum.right + sum.failed + sum.expired + sum.left, sum.sent);
  EXPECT_EQ(sum.sent + sum.refused, homes * clients * each);
  EXPECT_GT(sum.right, 0u);
  RecordProperty("right", std::to_string(sum.right));
  std::printf("storm: %llu right, %llu failed, %llu expired, %llu left, %llu refused\n",
              static_cast<unsigned long long>(sum.right), static_cast<unsigned long long>(sum.failed),
              static_cast<unsigned long long>(sum.expired), static_cast<unsigned long long>(sum.left),
              static_cast<unsigned long long>(sum.refused));
}

INSTANTIATE_TEST_SUITE_P(QueueDelay, Storm, testing::Values(0u, 300u));

}  // namespace
}  // namespace headrace::pipeline
