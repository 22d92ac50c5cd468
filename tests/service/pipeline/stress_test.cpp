// Very many requests through a ring of two slots, while the puppet ends flights in any order, fails some, and tells
// others late or twice: every request is answered exactly once, with its own rows, and every slot comes home.
//
//   pipeline_stress_test [--requests=N]

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <deque>
#include <random>
#include <string_view>
#include <thread>

#include "tests/service/pipeline/rig.hpp"
#include "tests/service/pipeline/support.hpp"

namespace headrace::pipeline {
namespace {

using proto::ErrorCode;
using support::Ending;
using test::Rig;

std::uint64_t requests_in_all = test::rounds(300'000);

constexpr std::size_t homes = 2;
constexpr std::size_t clients_each = 32;
constexpr std::uint32_t rows_each_max = 8;
constexpr std::uint32_t poison = 0x7fc0dead;

struct Tally {
  std::uint64_t right = 0, wrong = 0, failed = 0, refused = 0, expired = 0, left = 0, tried_again = 0;

  std::uint64_t ended() const { return right + wrong + failed + refused + expired + left; }
  void add(const Tally& other) {
    right += other.right;
    wrong += other.wrong;
    failed += other.failed;
    refused += other.refused;
    expired += other.expired;
    left += other.left;
    tried_again += other.tried_again;
  }
};

/// Bodies whose values are filled in anew for each request.
struct Bodies {
  Bodies() {
    for (std::uint32_t rows = 1; rows <= rows_each_max; ++rows) {
      plain.push_back(test::body_of({.rows = rows}));
      hasty.push_back(test::body_of({.rows = rows, .timeout_us = 300}));
    }
  }
  std::vector<test::Body> plain, hasty;  // by rows - 1
};

/// One I/O thread's clients, each with one request at a time.
class Home {
 public:
  Home(Rig& rig, std::atomic<std::int64_t>& left, std::uint32_t seed) : rig_(rig), to_send_(left), random_(seed) {
    for (std::size_t c = 0; c < clients_each; ++c) {
      asio::co_spawn(context_.get_executor(), client(), [this](const std::exception_ptr& escaped) {
        EXPECT_EQ(escaped, nullptr);
        if (running_.fetch_sub(1) == 1) guard_.reset();
      });
    }
  }
  void run() { context_.run(); }
  void stop() { context_.stop(); }
  bool ended() const { return running_ == 0; }
  const Tally& tally() const { return tally_; }

 private:
  Awaitable<> client() {
    std::shared_ptr<Request> last;
    while (to_send_.fetch_sub(1, std::memory_order_relaxed) > 0) {
      const auto rows = static_cast<std::uint32_t>(random_() % rows_each_max + 1);
      const auto first = static_cast<float>(random_() % 100'000);
      auto request = begin(rows, first, std::move(last));
      while (!request) {
        // The queue or the memory is full for now; or no device is left, and then that is the answer.
        if (rig_.door->device_lost()) break;
        ++tally_.tried_again;
        co_await asio::post(context_, asio::use_awaitable_t<Executor>{});
        request = begin(rows, first, nullptr);
      }
      if (!request) {
        ++tally_.refused;
        continue;
      }
      if (random_() % 16 == 0) leave_later(request, static_cast<std::uint32_t>(random_() % 8));
      const bool answered = co_await request->async_wait(asio::use_awaitable_t<Executor>{});
      count(*request, answered, rows, first);
      if (answered) {
        request->release();
        last = std::move(request);  // used again, so that a second answer would end the next one's wait
      }
    }
  }

  std::shared_ptr<Request> begin(std::uint32_t rows, float first, std::shared_ptr<Request> reuse) {
    const auto& body = (random_() % 64 == 0 ? bodies_.hasty : bodies_.plain)[rows - 1];
    auto reserved = rig_.door->reserve(rig_.model, {.body_bytes = body.bytes.size(), .json_bytes = body.json_bytes},
                                       mailbox_, std::move(reuse));
    if (!reserved) return nullptr;
    auto& request = **reserved;
    request.timeline.begin(telemetry::Clock::now());
    std::byte* const to = FrontDoor::body_of(request).data();
    std::memcpy(to, body.bytes.data(), body.bytes.size());
    for (std::size_t i = 0; i < rows * test::rig_columns; ++i) {
      const float value = first + static_cast<float>(i);
      std::memcpy(to + *body.json_bytes + i * sizeof value, &value, sizeof value);
    }
    if (const auto ready = rig_.door->prepare(request, parser_); !ready) {
      ADD_FAILURE() << ready.error().message;
      return nullptr;
    }
    for (std::size_t i = 0; i < rows * test::rig_columns; ++i) {
      std::memcpy(request.outputs[0] + i * sizeof poison, &poison, sizeof poison);
    }
    if (!rig_.door->submit(*reserved)) return nullptr;
    return *reserved;
  }

  void leave_later(std::shared_ptr<Request> request, std::uint32_t turns) {
    asio::post(context_, [this, request = std::move(request), turns]() mutable {
      if (turns == 0) {
        request->leave();
      } else {
        leave_later(std::move(request), turns - 1);
      }
    });
  }

  void count(const Request& request, bool answered, std::uint32_t rows, float first) {
    if (!answered) {
      ++tally_.left;
    } else if (!request.error) {
      ++(test::answer_is_right(request, {.rows = rows, .first = first}) ? tally_.right : tally_.wrong);
    } else if (request.error->code == ErrorCode::deadline_expired) {
      ++tally_.expired;
    } else {
      ++(request.error->code == ErrorCode::not_ready ? tally_.refused : tally_.failed);
    }
  }

  Rig& rig_;
  std::atomic<std::int64_t>& to_send_;
  const Bodies bodies_;
  std::minstd_rand random_;
  proto::InferRequestParser parser_;
  Tally tally_;
  asio::io_context context_{1};
  asio::executor_work_guard<Executor> guard_{context_.get_executor()};
  Mailbox mailbox_{context_.get_executor()};
  std::atomic<std::size_t> running_{clients_each};
};

/// Ends a device's flights on a thread of its own.
class Pilot {
 public:
  Pilot(support::PuppetDevice& device, std::uint32_t seed) : device_(device), random_(seed) {}

  /// Until the last flight after stop(); a device that is lost in silence has none any more.
  void fly() {
    while (!device_.lost() && device_.wait_in_air(1)) {
      end_one();
      if (stop_ && device_.in_air().empty()) return;
    }
  }
  void stop() { stop_ = true; }

  std::uint64_t out_of_order = 0;
  std::uint64_t repeated = 0;

 private:
  void end_one() {
    const auto air = device_.in_air();
    const std::size_t chosen = random_() % air.size();
    const auto ending = random_() % 20 == 0 ? Ending::launch_failed : Ending::ok;
    if (!device_.complete(air[chosen].flight, ending)) return;
    out_of_order += chosen != 0 ? 1 : 0;
    ended_.push_back(air[chosen].flight);
    if (ended_.size() > 32) ended_.pop_front();
    if (random_() % 8 == 0) repeat(ended_.back());
    if (random_() % 8 == 0) repeat(ended_[random_() % ended_.size()]);
  }
  void repeat(std::uint64_t flight) { repeated += device_.repeat_notice(flight) ? 1 : 0; }

  support::PuppetDevice& device_;
  std::minstd_rand random_;
  std::deque<std::uint64_t> ended_;
  std::atomic<bool> stop_{false};
};

class Stress : public testing::Test {
 protected:
  /// Sends `requests` and calls `meanwhile` on the dispatcher's thread now and then, with how many are left to send.
  void run(Rig& rig, std::uint64_t requests, const std::function<void(std::int64_t)>& meanwhile = {}) {
    std::atomic<std::int64_t> left{static_cast<std::int64_t>(requests)};
    std::vector<std::unique_ptr<Home>> all;
    for (std::size_t h = 0; h < homes; ++h) {
      all.push_back(std::make_unique<Home>(rig, left, static_cast<std::uint32_t>(h + 1)));
    }
    for (const auto& device : rig.devices) {
      pilots_.push_back(std::make_unique<Pilot>(*device, static_cast<std::uint32_t>(pilots_.size() + 7)));
    }
    std::vector<std::thread> threads;
    for (auto& home : all) threads.emplace_back([&home] { home->run(); });
    for (auto& pilot : pilots_) threads.emplace_back([&pilot] { pilot->fly(); });
    const bool ended = rig.run_until(
        [&] {
          if (meanwhile) meanwhile(left);
          return std::all_of(all.begin(), all.end(), [](const auto& home) { return home->ended(); }) && rig.all_home();
        },
        std::chrono::hours(1));
    EXPECT_TRUE(ended);
    for (auto& pilot : pilots_) pilot->stop();
    wake_pilots(rig);
    if (!ended) {
      for (auto& home : all) home->stop();
    }
    for (auto& thread : threads) thread.join();
    for (const auto& home : all) sum_.add(home->tally());
    std::printf("%llu requests: %llu right, %llu failed, %llu refused, %llu expired, %llu left; %llu tries again\n",
                static_cast<unsigned long long>(sum_.ended()), static_cast<unsigned long long>(sum_.right),
                static_cast<unsigned long long>(sum_.failed), static_cast<unsigned long long>(sum_.refused),
                static_cast<unsigned long long>(sum_.expired), static_cast<unsigned long long>(sum_.left),
                static_cast<unsigned long long>(sum_.tried_again));
    EXPECT_EQ(sum_.wrong, 0u);
    EXPECT_EQ(sum_.ended(), requests);
  }

  /// A pilot waits for a flight: each living device gets a last one.
  static void wake_pilots(Rig& rig) {
    std::vector<std::shared_ptr<Rig::Sent>> last;
    for (const auto& device : rig.devices) {
      if (!device->lost()) last.push_back(rig.send({}));
      rig.settle();
    }
    EXPECT_TRUE(rig.run_until(
        [&last] { return std::all_of(last.begin(), last.end(), [](const auto& s) { return s->answers == 1; }); }));
  }

  std::vector<std::unique_ptr<Pilot>> pilots_;
  Tally sum_;
};

constexpr test::RigOptions two_slots{
    .slots = 2, .rows_max = 64, .segments_max = 12, .queue_max = 256, .memory_bytes = 2 << 20, .requests_max = 256};

TEST_F(Stress, EveryRequestIsAnsweredExactlyOnceWithItsOwnRows) {
  Rig rig(two_slots);
  run(rig, requests_in_all);
  EXPECT_EQ(sum_.refused, 0u);
  EXPECT_GT(sum_.right, sum_.ended() / 2);
  EXPECT_GT(sum_.failed, 0u);
  EXPECT_GT(sum_.left, 0u);
  EXPECT_GT(pilots_[0]->out_of_order, 0u);
  EXPECT_GT(pilots_[0]->repeated, 0u);
  EXPECT_EQ(rig.slots->ring(0).spurious_notices(), pilots_[0]->repeated) << "each counted, none believed";
  EXPECT_EQ(rig.free_slots(), 2u);
}

TEST_F(Stress, OneDeviceAfterTheOtherIsLostAndNobodyWaitsForEver) {
  auto options = two_slots;
  options.devices = 3;
  Rig rig(options);
  rig.checks_memory = false;
  const std::uint64_t requests = requests_in_all / 10;
  std::size_t lost = 0;
  run(rig, requests, [&](std::int64_t left) {
    // At three quarters, half and a quarter of the way.
    const auto due = static_cast<std::int64_t>(requests) * static_cast<std::int64_t>(3 - lost) / 4;
    if (lost < 3 && left < due) rig.devices[lost++]->lose();
    rig.slots->look_for_losses();
  });
  EXPECT_EQ(lost, 3u);
  EXPECT_TRUE(rig.slots->lost());
  EXPECT_GT(sum_.right, 0u);
  EXPECT_GT(sum_.refused, 0u) << "at the end no device was left";
  EXPECT_TRUE(rig.all_home());
}

}  // namespace
}  // namespace headrace::pipeline

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  constexpr std::string_view option = "--requests=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word(argv[i]);
    auto& requests = headrace::pipeline::requests_in_all;
    const char* const end = word.data() + word.size();
    const bool named = word.starts_with(option);
    if (!named || std::from_chars(word.data() + option.size(), end, requests).ptr != end || requests < 1'000) {
      std::fprintf(stderr, "expected --requests=N with at least 1000, got '%s'\n", argv[i]);
      return 2;
    }
  }
  return RUN_ALL_TESTS();
}
