#include "service/pipeline/mailbox.hpp"

#include <gtest/gtest.h>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <thread>
#include <vector>

#include "service/pipeline/request.hpp"
#include "tests/service/pipeline/support.hpp"

namespace headrace::pipeline {
namespace {

TEST(Mailbox, DeliversInTheOrderOfPostsWithOneWakeUp) {
  asio::io_context context;
  Mailbox mailbox(context.get_executor());
  std::vector<int> order;
  for (int i = 0; i < 5; ++i) {
    auto request = std::make_shared<Request>();
    request->async_wait(asio::bind_executor(context.get_executor(), [&order, i](bool) { order.push_back(i); }));
    mailbox.post(std::move(request));
  }
  EXPECT_TRUE(order.empty());
  EXPECT_EQ(context.run(), 1u) << "one wake-up for all";
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4}));
}

TEST(Mailbox, KeepsARequestUntilItIsDelivered) {
  asio::io_context context;
  Mailbox mailbox(context.get_executor());
  auto request = std::make_shared<Request>();
  const std::weak_ptr<Request> watched = request;
  mailbox.post(std::move(request));
  EXPECT_FALSE(watched.expired());
  context.run();
  EXPECT_TRUE(watched.expired());
}

TEST(Mailbox, APostDuringTheDeliveryIsDeliveredToo) {
  asio::io_context context;
  Mailbox mailbox(context.get_executor());
  int delivered = 0;
  auto first = std::make_shared<Request>();
  first->async_wait(asio::bind_executor(context.get_executor(), [&](bool) {
    ++delivered;
    auto second = std::make_shared<Request>();
    second->async_wait(asio::bind_executor(context.get_executor(), [&](bool) { ++delivered; }));
    mailbox.post(std::move(second));
  }));
  mailbox.post(std::move(first));
  context.run();
  EXPECT_EQ(delivered, 2);
}

TEST(Mailbox, WhatWasNeverDeliveredEndsWithIt) {
  std::weak_ptr<Request> watched[3];
  {
    asio::io_context context;
    Mailbox mailbox(context.get_executor());
    for (auto& watch : watched) {
      auto request = std::make_shared<Request>();
      watch = request;
      mailbox.post(std::move(request));
    }
  }
  for (const auto& watch : watched) EXPECT_TRUE(watch.expired());
}

TEST(Mailbox, TheEndMayOvertakeTheWait) {
  asio::io_context context;
  Mailbox mailbox(context.get_executor());
  const auto request = std::make_shared<Request>();
  mailbox.post(request);
  context.run();
  context.restart();
  bool answered = false;
  request->async_wait(asio::bind_executor(context.get_executor(), [&](bool told) { answered = told; }));
  EXPECT_FALSE(answered) << "never inside the call";
  context.run();
  EXPECT_TRUE(answered);
}

TEST(Mailbox, ManyThreadsPostAndEveryRequestIsDeliveredOnce) {
  constexpr std::size_t posters = 3;
  const std::size_t each = test::rounds(20'000);
  asio::io_context context;
  Mailbox mailbox(context.get_executor());
  auto guard = asio::make_work_guard(context);
  std::vector<int> delivered(posters * each, 0);
  std::vector<std::size_t> last(posters, 0);
  std::size_t seen = 0;
  bool in_order = true;
  std::vector<std::shared_ptr<Request>> requests;
  for (std::size_t i = 0; i < posters * each; ++i) {
    requests.push_back(std::make_shared<Request>());
    requests.back()->async_wait(asio::bind_executor(context.get_executor(), [&, i](bool) {
      ++delivered[i];
      auto& before = last[i / each];
      in_order = in_order && i % each >= before;
      before = i % each;
      if (++seen == delivered.size()) guard.reset();
    }));
  }
  std::vector<std::thread> threads;
  for (std::size_t p = 0; p < posters; ++p) {
    threads.emplace_back([&, p] {
      for (std::size_t i = 0; i < each; ++i) mailbox.post(std::move(requests[p * each + i]));
    });
  }
  context.run();
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(in_order) << "one poster's requests keep their order";
  for (const int times : delivered) ASSERT_EQ(times, 1);
}

}  // namespace
}  // namespace headrace::pipeline
