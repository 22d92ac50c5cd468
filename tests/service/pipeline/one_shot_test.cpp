#include "service/pipeline/one_shot.hpp"

#include <gtest/gtest.h>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <vector>

namespace headrace::pipeline {
namespace {

TEST(OneShot, FiresOnceHereAndNow) {
  OneShot<int> shot;
  std::vector<int> seen;
  shot.fire(1);  // nobody there
  EXPECT_FALSE(shot);
  shot.keep([&](int value) { seen.push_back(value); });
  EXPECT_TRUE(shot);
  shot.fire(2);
  EXPECT_FALSE(shot);
  shot.fire(3);
  EXPECT_EQ(seen, std::vector{2});
}

TEST(OneShot, TheHandlerMayKeepAnother) {
  OneShot<> shot;
  int fired = 0;
  shot.keep([&] {
    ++fired;
    EXPECT_FALSE(shot);
    shot.keep([&] { fired += 10; });
  });
  shot.fire();
  EXPECT_EQ(fired, 1);
  EXPECT_TRUE(shot);
  shot.fire();
  EXPECT_EQ(fired, 11);
}

TEST(OneShot, TheHandlerMayEndTheOneShot) {
  auto shot = std::make_unique<OneShot<>>();
  bool fired = false;
  shot->keep([&] {
    shot.reset();
    fired = true;
  });
  shot->fire();
  EXPECT_TRUE(fired);
}

TEST(OneShot, WhatIsNeverFiredIsDestroyed) {
  const auto held = std::make_shared<int>(1);
  {
    OneShot<> shot;
    shot.keep([held] {});
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(OneShot, CarriesWhatCanOnlyBeMoved) {
  OneShot<std::unique_ptr<int>> shot;
  int seen = 0;
  shot.keep([&, own = std::make_unique<int>(2)](std::unique_ptr<int> value) { seen = *value + *own; });
  shot.fire(std::make_unique<int>(40));
  EXPECT_EQ(seen, 42);
}

TEST(OneShot, CompleteLaterGoesThroughTheHandlersExecutor) {
  boost::asio::io_context context;
  int seen = 0;
  complete_later(boost::asio::bind_executor(context.get_executor(), [&](int a, int b) { seen = a + b; }), 1, 2);
  EXPECT_EQ(seen, 0) << "never inside the call";
  context.run();
  EXPECT_EQ(seen, 3);
}

}  // namespace
}  // namespace headrace::pipeline
