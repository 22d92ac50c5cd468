// Clients that leave before their answer: what was queued never reaches the device, what flies lands without them.

#include <gtest/gtest.h>

#include "tests/support/http_client.hpp"
#include "tests/support/infer_text.hpp"
#include "tests/support/service.hpp"

namespace headrace {
namespace {

constexpr std::size_t columns = 16;
const std::vector<float> row(columns, 1.0F);

class Departure : public testing::TestWithParam<const char*> {
 protected:
  static void leave(support::HttpClient& client) {
    const std::string way = GetParam();
    if (way == "half_close") {
      client.shut_down_sending();
    } else {
      client.close(way == "reset");
    }
  }
  static std::string request(std::string_view id) {
    return support::binary_infer_text({.model = "m", .input = "x", .columns = columns, .id = id}, row);
  }

  support::Service service_{
      std::make_unique<support::PuppetDevice>(), support::affine_repository("m", columns, {}), {.slots = 1}};
};

TEST_P(Departure, a_queued_request_never_reaches_the_device_and_gives_its_memory_back) {
  support::HttpClient first(service_.address());
  first.send(request("first"));
  ASSERT_TRUE(service_.puppet().wait_in_air(1));
  const double held = service_.metric("headrace_bytes_held");
  support::HttpClient second(service_.address());
  second.send(request("second"));
  ASSERT_TRUE(service_.wait_for_metric("headrace_queue_depth{model=\"m\"}", 1));
  leave(second);
  EXPECT_TRUE(service_.wait_for_metric("headrace_rejected_total{model=\"m\",reason=\"client_gone\"}", 1));
  EXPECT_TRUE(service_.wait_for_metric("headrace_bytes_held", held));
  ASSERT_TRUE(service_.puppet().complete_first());
  EXPECT_EQ(first.receive().value_or(support::HttpAnswer{}).status, 200);
  EXPECT_TRUE(service_.wait_for_metric("headrace_queue_depth{model=\"m\"}", 0));
  EXPECT_EQ(service_.puppet().submitted(), 1U);
}

TEST_P(Departure, a_flight_keeps_its_buffers_until_its_notice) {
  support::HttpClient client(service_.address());
  client.send(request("x"));
  ASSERT_TRUE(service_.puppet().wait_in_air(1));
  const double held = service_.metric("headrace_bytes_held");
  EXPECT_GT(held, 0);
  leave(client);
  EXPECT_TRUE(service_.wait_for_metric("headrace_requests_total{model=\"m\",code=\"499\"}", 1));
  EXPECT_TRUE(service_.wait_for_metric("headrace_bytes_held", held));
  ASSERT_TRUE(service_.puppet().complete_first());
  EXPECT_TRUE(service_.wait_for_metric("headrace_bytes_held", 0));
  EXPECT_TRUE(service_.wait_for_metric("headrace_inflight_requests", 0));
}

TEST_P(Departure, in_the_middle_of_a_body) {
  support::HttpClient client(service_.address());
  const auto text = request("x");
  client.send(text.substr(0, text.size() - 5));
  ASSERT_TRUE(service_.wait_for_metric("headrace_inflight_requests", 1));
  leave(client);
  EXPECT_TRUE(service_.wait_for_metric("headrace_bytes_held", 0));
  EXPECT_EQ(service_.puppet().submitted(), 0U);
}

INSTANTIATE_TEST_SUITE_P(ways, Departure, testing::Values("reset", "close", "half_close"),
                         [](const auto& way) { return std::string(way.param); });

}  // namespace
}  // namespace headrace
