// More than the device can take: every request is answered once, with its own rows, or refused at once.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "tests/support/http_client.hpp"
#include "tests/support/infer_text.hpp"
#include "tests/support/service.hpp"

namespace headrace {
namespace {

constexpr std::size_t columns = 16;

class Overload : public testing::Test {
 protected:
  static std::unique_ptr<support::PuppetDevice> device(bool automatic) {
    return std::make_unique<support::PuppetDevice>(support::PuppetOptions{.auto_complete = automatic});
  }
  static support::InferCase affine(std::string_view id, std::string_view parameters = {}) {
    return {.model = "m", .input = "x", .columns = columns, .id = id, .parameters = parameters};
  }
};

TEST_F(Overload, ten_thousand_requests_to_a_slow_device_are_all_answered_200_or_429) {
  constexpr std::size_t clients = 200;
  constexpr std::size_t requests_each = 50;
  support::Service service(device(false),
                           support::affine_repository("m", columns, {.max_batch_size = 8, .max_queue_size = 64}));
  std::atomic<std::size_t> ok{0};
  std::atomic<std::size_t> refused{0};
  std::atomic<std::size_t> wrong{0};
  std::atomic<bool> over{false};
  // The device is slow: nothing lands before the queue has run over, and then one flight at a time.
  std::jthread pilot([&] {
    while (refused == 0 && !over) std::this_thread::yield();
    while (!over) {
      if (!service.puppet().complete_first()) std::this_thread::yield();
    }
  });
  std::vector<std::jthread> threads;
  for (std::size_t c = 0; c < clients; ++c) {
    threads.emplace_back([&, c] {
      support::HttpClient client(service.address());
      for (std::size_t i = 0; i < requests_each; ++i) {
        const auto id = std::to_string(c * requests_each + i);
        const std::vector<float> row(columns, static_cast<float>(c * requests_each + i));
        client.send(support::binary_infer_text(affine(id), row));
        const auto answer = client.receive();
        if (answer && answer->status == 429) {
          EXPECT_FALSE(answer->header("retry-after").empty());
          ++refused;
        } else if (answer && support::answered_id(*answer) == id &&
                   support::answered_floats(*answer) == std::vector<float>(columns, 2 * row[0] + 1)) {
          ++ok;
        } else {
          ++wrong;
        }
      }
    });
  }
  threads.clear();
  over = true;
  pilot.join();
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(ok + refused, clients * requests_each);
  EXPECT_GT(ok, 0U);
  EXPECT_GT(refused, 0U);
  EXPECT_TRUE(service.wait_for_metric("headrace_requests_total{model=\"m\",code=\"200\"}", static_cast<double>(ok)));
  EXPECT_TRUE(
      service.wait_for_metric("headrace_requests_total{model=\"m\",code=\"429\"}", static_cast<double>(refused)));
  EXPECT_TRUE(service.wait_for_metric("headrace_rejected_total{model=\"m\",reason=\"queue_full\"}",
                                      static_cast<double>(refused)));
  EXPECT_TRUE(service.wait_for_metric("headrace_bytes_held", 0));
  EXPECT_TRUE(service.wait_for_metric("headrace_inflight_requests", 0));
}

TEST_F(Overload, a_batch_stays_open_until_its_slot_is_in_hand) {
  support::Service service(device(false), support::affine_repository("m", columns, {}), {.slots = 1});
  const std::vector<float> row(columns, 1.0F);
  std::vector<support::HttpClient> clients;
  clients.reserve(9);
  for (int i = 0; i < 9; ++i) clients.emplace_back(service.address());
  clients[0].send(support::binary_infer_text(affine("first"), row));
  ASSERT_TRUE(service.puppet().wait_in_air(1));
  for (int i = 1; i < 9; ++i)
    clients[static_cast<std::size_t>(i)].send(support::binary_infer_text(affine("later"), row));
  ASSERT_TRUE(service.wait_for_metric("headrace_queue_depth{model=\"m\"}", 8));
  ASSERT_TRUE(service.puppet().complete_first());
  ASSERT_TRUE(service.puppet().wait_submitted(2));
  ASSERT_EQ(service.puppet().in_air().size(), 1U);
  EXPECT_EQ(service.puppet().in_air()[0].segments, 8U);
  ASSERT_TRUE(service.puppet().complete_first());
  for (auto& client : clients) EXPECT_EQ(client.receive().value_or(support::HttpAnswer{}).status, 200);
}

TEST_F(Overload, deadlines_expire_while_the_device_is_busy) {
  support::Service service(device(false), support::affine_repository("m", columns, {}), {.slots = 1});
  const std::vector<float> row(columns, 1.0F);
  support::HttpClient first(service.address());
  first.send(support::binary_infer_text(affine("first"), row));
  ASSERT_TRUE(service.puppet().wait_in_air(1));
  support::HttpClient second(service.address());
  second.send(support::binary_infer_text(affine("second", "\"timeout\":1"), row));
  EXPECT_EQ(second.receive().value_or(support::HttpAnswer{}).status, 504);  // while the first is still in flight
  ASSERT_TRUE(service.puppet().complete_first());
  EXPECT_EQ(first.receive().value_or(support::HttpAnswer{}).status, 200);
  EXPECT_EQ(service.puppet().submitted(), 1U);
  EXPECT_TRUE(service.wait_for_metric("headrace_rejected_total{model=\"m\",reason=\"deadline_expired\"}", 1));
}

TEST_F(Overload, bytes_are_refused_before_the_body_is_read_and_the_connection_serves_on) {
  support::Service service(device(false), support::affine_repository("m", 1024, {.max_batch_size = 2048}),
                           {.slots = 1, .memory_budget = 32u << 20, .max_body = 4u << 20});
  const std::vector<float> large(1024 * 900, 1.0F);
  const std::string rejected = "headrace_rejected_total{model=\"m\",reason=\"over_budget\"}";
  std::vector<support::HttpClient> held;
  bool refused = false;
  for (int i = 1; i <= 8 && !refused; ++i) {
    held.emplace_back(service.address());
    const auto text = support::binary_infer_text({.model = "m", .input = "x", .columns = 1024}, large);
    held.back().send(text.substr(0, 4096));  // its head and a little of its body: enough to be admitted, or refused
    while (service.metric("headrace_inflight_requests") != i && !refused) refused = service.metric(rejected) == 1;
  }
  if (refused) {
    const auto answer = held.back().receive().value_or(support::HttpAnswer{});
    EXPECT_EQ(answer.status, 429);
    EXPECT_FALSE(answer.header("retry-after").empty());
  }
  EXPECT_TRUE(refused);
  for (auto& client : held) client.close(true);
  EXPECT_TRUE(service.wait_for_metric("headrace_bytes_held", 0));
  support::HttpClient small(service.address());
  small.send(support::binary_infer_text({.model = "m", .input = "x", .columns = 1024}, std::span(large).first(1024)));
  ASSERT_TRUE(service.puppet().wait_in_air(1));
  ASSERT_TRUE(service.puppet().complete_first());
  EXPECT_EQ(small.receive().value_or(support::HttpAnswer{}).status, 200);
}

TEST_F(Overload, a_failed_flight_fails_its_own_requests_only) {
  support::Service service(device(false), support::affine_repository("m", columns, {.max_batch_size = 1}),
                           {.slots = 2});
  const std::vector<float> row(columns, 1.0F);
  support::HttpClient bad(service.address());
  bad.send(support::binary_infer_text(affine("bad"), row));
  ASSERT_TRUE(service.puppet().wait_in_air(1));
  support::HttpClient good(service.address());
  good.send(support::binary_infer_text(affine("good"), row));
  ASSERT_TRUE(service.puppet().wait_in_air(2));
  ASSERT_TRUE(service.puppet().complete_first(support::Ending::launch_failed));
  ASSERT_TRUE(service.puppet().complete_first());
  EXPECT_EQ(bad.receive().value_or(support::HttpAnswer{}).status, 500);
  EXPECT_EQ(good.receive().value_or(support::HttpAnswer{}).status, 200);
}

TEST_F(Overload, a_lost_device_answers_what_is_in_the_air_and_refuses_the_rest) {
  support::Service service(device(false), support::affine_repository("m", columns, {}), {.slots = 1});
  const std::vector<float> row(columns, 1.0F);
  support::HttpClient client(service.address());
  client.send(support::binary_infer_text(affine("x"), row));
  ASSERT_TRUE(service.puppet().wait_in_air(1));
  ASSERT_TRUE(service.puppet().complete_first(support::Ending::device_lost));
  EXPECT_EQ(client.receive().value_or(support::HttpAnswer{}).status, 500);
  EXPECT_EQ(client.get("/v2/health/ready").status, 503);
  EXPECT_EQ(client.get("/v2/health/live").status, 200);
  client.send(support::binary_infer_text(affine("y"), row));
  EXPECT_EQ(client.receive().value_or(support::HttpAnswer{}).status, 503);
  EXPECT_TRUE(service.wait_for_metric("headrace_ready", 0));
}

}  // namespace
}  // namespace headrace
