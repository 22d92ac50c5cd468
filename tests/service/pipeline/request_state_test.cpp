#include "service/pipeline/request_state.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "tests/service/pipeline/support.hpp"

namespace headrace::pipeline {
namespace {

using Owner = RequestState::Owner;

TEST(RequestState, FirstMoverWins) {
  RequestState taken;
  EXPECT_EQ(taken.owner(), Owner::queued);
  EXPECT_FALSE(taken.answer_unwanted());
  EXPECT_TRUE(taken.try_take());
  EXPECT_FALSE(taken.try_take());
  EXPECT_FALSE(taken.try_expire());
  EXPECT_EQ(taken.owner(), Owner::taken);

  RequestState expired;
  EXPECT_TRUE(expired.try_expire());
  EXPECT_FALSE(expired.try_take());
  EXPECT_EQ(expired.owner(), Owner::expired);

  RequestState left;
  EXPECT_TRUE(left.try_leave());
  EXPECT_FALSE(left.try_take());
  EXPECT_FALSE(left.try_expire());
  EXPECT_EQ(left.owner(), Owner::left);
  EXPECT_TRUE(left.answer_unwanted());
}

TEST(RequestState, LeavingLateIsRecordedAndDoesNotChangeTheOwner) {
  RequestState state;
  ASSERT_TRUE(state.try_take());
  EXPECT_FALSE(state.answer_unwanted());
  EXPECT_FALSE(state.try_leave());
  EXPECT_TRUE(state.answer_unwanted());
  EXPECT_EQ(state.owner(), Owner::taken);
  EXPECT_FALSE(state.try_leave());
  EXPECT_FALSE(state.try_take()) << "still exactly one owner";

  RequestState expired;
  ASSERT_TRUE(expired.try_expire());
  EXPECT_FALSE(expired.try_leave());
  EXPECT_EQ(expired.owner(), Owner::expired);
  EXPECT_TRUE(expired.answer_unwanted());
}

TEST(RequestState, ExactlyOneOfThreeThreadsWins) {
  const std::size_t count = test::rounds(200'000);
  struct Contested {
    RequestState state;
    std::atomic<int> winners{0};
    int written_by_winner = 0;  // the sanitizer sees when two own it
  };
  const auto contested = std::make_unique<Contested[]>(count);
  const auto race = [&](bool (RequestState::*move)() noexcept) {
    for (std::size_t i = 0; i < count; ++i) {
      if ((contested[i].state.*move)()) {
        ++contested[i].winners;
        ++contested[i].written_by_winner;
      }
    }
  };
  std::thread taker(race, &RequestState::try_take);
  std::thread sweeper(race, &RequestState::try_expire);
  std::thread leaver(race, &RequestState::try_leave);
  for (auto* thread : {&taker, &sweeper, &leaver}) thread->join();
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(contested[i].winners, 1);
    ASSERT_EQ(contested[i].written_by_winner, 1);
    ASSERT_TRUE(contested[i].state.answer_unwanted());
  }
}

}  // namespace
}  // namespace headrace::pipeline
