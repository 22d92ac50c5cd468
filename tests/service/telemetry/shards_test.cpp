#include "service/telemetry/shards.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <optional>
#include <thread>
#include <vector>

#include "service/telemetry/cells.hpp"

namespace headrace::telemetry {
namespace {

struct alignas(64) Cells {
  Cell events;
};

std::uint64_t sum(const Shards<Cells>& shards) {
  std::uint64_t total = 0;
  shards.each([&total](const Cells& cells) { total += cells.events.get(); });
  return total;
}

TEST(Shards, AThreadKeepsItsOwn) {
  Shards<Cells> shards;
  Cells* const first = shards.mine();
  EXPECT_EQ(shards.mine(), first);
  Cells* elsewhere = nullptr;
  std::jthread([&] { elsewhere = shards.mine(); }).join();
  EXPECT_NE(elsewhere, first);
}

TEST(Shards, NumbersOutliveTheirThreadAndTheNextThreadGoesOn) {
  Shards<Cells> shards;
  for (int i = 0; i < 50; ++i) std::jthread([&] { shards.mine()->events.add(1); }).join();
  EXPECT_EQ(sum(shards), 50U);
  EXPECT_EQ(shards.size(), 1U) << "threads one after the other share one shard";
}

TEST(Shards, ThreadsAtOnceHaveOneEachAndNothingIsLost) {
  constexpr int threads = 8;
  constexpr int each = 10'000;
  Shards<Cells> shards;
  std::latch all_running(threads);
  {
    std::vector<std::jthread> running;
    for (int i = 0; i < threads; ++i) {
      running.emplace_back([&] {
        shards.mine()->events.add(0);
        all_running.arrive_and_wait();
        for (int n = 0; n < each; ++n) shards.mine()->events.add(1);
      });
    }
    std::uint64_t before = 0;
    for (int i = 0; i < 100; ++i) {
      const std::uint64_t now = sum(shards);
      EXPECT_GE(now, before) << "a total never falls";
      before = now;
    }
  }
  EXPECT_EQ(sum(shards), std::uint64_t{threads} * each);
  EXPECT_EQ(shards.size(), std::size_t{threads});
}

TEST(Shards, ASetMayEndBeforeItsThreads) {
  std::optional<Shards<Cells>> shards(std::in_place);
  std::latch used(1);
  std::latch gone(1);
  std::jthread thread([&] {
    shards->mine()->events.add(1);
    used.count_down();
    gone.wait();
  });
  used.wait();
  shards.reset();
  gone.count_down();
}

TEST(Shards, SetsOfOneThreadAreApart) {
  Shards<Cells> one;
  Shards<Cells> other;
  one.mine()->events.add(3);
  other.mine()->events.add(4);
  EXPECT_EQ(sum(one), 3U);
  EXPECT_EQ(sum(other), 4U);
}

TEST(Shards, AThreadMayOutliveManySets) {
  for (int i = 0; i < 1000; ++i) {
    Shards<Cells> shards;
    shards.mine()->events.add(1);
    ASSERT_EQ(sum(shards), 1U);
  }
}

/// Records when its thread ends, after the shards may have been given back.
struct LateRecorder {
  Shards<Cells>* shards = nullptr;
  ~LateRecorder() {
    if (shards == nullptr) return;
    if (Cells* const cells = shards->mine()) cells->events.add(1);
  }
};

TEST(Shards, RecordingWhileTheThreadEndsIsLostAtWorst) {
  Shards<Cells> shards;
  std::jthread([&] {
    thread_local LateRecorder late;
    late.shards = &shards;
    shards.mine()->events.add(1);
  }).join();
  EXPECT_GE(sum(shards), 1U);
}

}  // namespace
}  // namespace headrace::telemetry
