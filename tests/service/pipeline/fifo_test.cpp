#include "service/pipeline/fifo.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <random>

namespace headrace::pipeline {
namespace {

TEST(Fifo, IsAFifoAtAnyCapacityAcrossTheWrap) {
  std::minstd_rand random(7);
  for (const std::size_t capacity : {1u, 2u, 3u, 8u, 13u}) {
    Fifo<std::unique_ptr<int>> fifo(capacity);
    std::deque<int> model;
    EXPECT_EQ(fifo.capacity(), capacity);
    for (int step = 0; step < 2'000; ++step) {
      auto item = std::make_unique<int>(step);
      ASSERT_EQ(fifo.has_room(item), model.size() < capacity);
      if (fifo.has_room(item) && random() % 2 == 0) {
        fifo.push(std::move(item));
        model.push_back(step);
      } else if (!model.empty()) {
        ASSERT_EQ(*fifo.pop(), model.front());
        model.pop_front();
      }
      ASSERT_EQ(fifo.size(), model.size());
      ASSERT_EQ(fifo.empty(), model.empty());
    }
  }
}

TEST(Fifo, DestroysWhatIsLeftAndNothingTwice) {
  const auto item = std::make_shared<int>(1);
  {
    Fifo<std::shared_ptr<int>> fifo(4);
    for (int i = 0; i < 6; ++i) {
      auto copy = item;
      if (i >= 3) fifo.pop();
      fifo.push(std::move(copy));
    }
    EXPECT_EQ(item.use_count(), 4);
  }
  EXPECT_EQ(item.use_count(), 1);
}

}  // namespace
}  // namespace headrace::pipeline
