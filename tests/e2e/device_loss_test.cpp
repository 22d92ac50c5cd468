// Lost devices, seen by clients: who gets which answer, what health says, and who goes on serving.

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/support/http_client.hpp"
#include "tests/support/infer_text.hpp"
#include "tests/support/service.hpp"

namespace headrace {
namespace {

using support::Ending;
using support::HttpAnswer;
using support::HttpClient;

constexpr std::size_t columns = 16;

class DeviceLoss : public testing::Test {
 protected:
  static std::vector<std::unique_ptr<support::PuppetDevice>> puppets(std::size_t count) {
    std::vector<std::unique_ptr<support::PuppetDevice>> devices;
    for (std::size_t i = 0; i < count; ++i) {
      devices.push_back(
          std::make_unique<support::PuppetDevice>(support::PuppetOptions{.label = "puppet:" + std::to_string(i)}));
    }
    return devices;
  }
  static std::string request(float value) {
    return support::binary_infer_text({.model = "m", .input = "x", .columns = columns},
                                      std::vector<float>(columns, value));
  }
  static HttpAnswer receive(HttpClient& client) { return client.receive().value_or(HttpAnswer{}); }
  static void expect_right(HttpClient& client, float value) {
    EXPECT_EQ(support::answered_floats(receive(client)), std::vector<float>(columns, 2 * value + 1));
  }
  /// Both ports, and the model.
  static void expect_ready(support::Service& service, int status) {
    for (const auto& address : {service.address(), service.admin_address()}) {
      HttpClient client(address);
      EXPECT_EQ(client.get("/v2/health/ready").status, status);
      EXPECT_EQ(client.get("/v2/health/live").status, 200);
    }
    EXPECT_EQ(HttpClient(service.address()).get("/v2/models/m/ready").status, status);
    EXPECT_EQ(service.metric("headrace_ready"), status == 200 ? 1 : 0);
  }

  const models::Repository repository_ = support::affine_repository("m", columns, {.max_batch_size = 1});
};

TEST_F(DeviceLoss, one_fault_answers_all_that_was_in_the_air_500_and_what_waited_503) {
  support::Service service(puppets(1), repository_, {.slots = 2});
  EXPECT_EQ(service.metric("headrace_device_lost{device=\"puppet:0\"}"), 0);
  std::vector<HttpClient> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back(service.address());
    clients.back().send(request(1));
    // The first two fly, the others wait.
    if (i < 2) ASSERT_TRUE(service.puppet().wait_in_air(static_cast<std::size_t>(i) + 1));
  }
  ASSERT_TRUE(service.wait_for_metric("headrace_queue_depth{model=\"m\"}", 2));
  ASSERT_TRUE(service.puppet().complete_first(Ending::device_lost));  // the second one never ends
  for (int i = 0; i < 4; ++i) {
    const auto answer = receive(clients[static_cast<std::size_t>(i)]);
    EXPECT_EQ(answer.status, i < 2 ? 500 : 503) << answer.body;
    EXPECT_NE(answer.body.find("the device was lost"), std::string::npos) << answer.body;
  }
  expect_ready(service, 503);
  EXPECT_EQ(service.metric("headrace_device_lost{device=\"puppet:0\"}"), 1);
  clients[0].send(request(2));
  const auto later = receive(clients[0]);
  EXPECT_EQ(later.status, 503);
  EXPECT_FALSE(later.headers.at("retry-after").empty());
  EXPECT_TRUE(service.wait_for_metric("headrace_requests_total{model=\"m\",code=\"500\"}", 2));
  EXPECT_TRUE(service.wait_for_metric("headrace_requests_total{model=\"m\",code=\"503\"}", 3));
  EXPECT_EQ(service.puppet().submitted(), 2U);
  EXPECT_TRUE(service.wait_for_metric("headrace_bytes_held", 0));
}

TEST_F(DeviceLoss, of_two_devices_the_healthy_one_serves_on) {
  support::Service service(puppets(2), repository_, {.slots = 1});
  std::vector<HttpClient> clients;
  for (int i = 0; i < 6; ++i) {
    clients.emplace_back(service.address());
    clients.back().send(request(static_cast<float>(i)));
    if (i < 2) ASSERT_TRUE(service.puppet(static_cast<std::size_t>(i)).wait_in_air(1)) << "one to each";
  }
  ASSERT_TRUE(service.wait_for_metric("headrace_queue_depth{model=\"m\"}", 4));
  ASSERT_TRUE(service.puppet(0).complete_first(Ending::device_lost));
  EXPECT_EQ(receive(clients[0]).status, 500);
  expect_ready(service, 200);
  EXPECT_EQ(service.metric("headrace_device_lost{device=\"puppet:0\"}"), 1);
  EXPECT_EQ(service.metric("headrace_device_lost{device=\"puppet:1\"}"), 0);
  service.puppet(1).set_auto_complete(true);
  for (std::size_t i = 1; i < clients.size(); ++i) expect_right(clients[i], static_cast<float>(i));
  EXPECT_EQ(service.puppet(0).submitted(), 1U);
  service.puppet(1).set_auto_complete(false);
  clients[0].send(request(7));
  ASSERT_TRUE(service.puppet(1).wait_in_air(1));
  ASSERT_TRUE(service.puppet(1).complete_first(Ending::device_lost));
  EXPECT_EQ(receive(clients[0]).status, 500);
  expect_ready(service, 503);
}

TEST_F(DeviceLoss, two_devices_share_the_work) {
  auto devices = puppets(2);
  for (const auto& device : devices) device->set_auto_complete(true);
  support::Service service(std::move(devices), repository_);
  HttpClient client(service.address());
  for (int i = 0; i < 20; ++i) {
    client.send(request(static_cast<float>(i)));
    expect_right(client, static_cast<float>(i));
  }
  EXPECT_EQ(service.puppet(0).submitted() + service.puppet(1).submitted(), 20U);
  EXPECT_GT(service.puppet(0).submitted(), 0U);
  EXPECT_GT(service.puppet(1).submitted(), 0U);
}

TEST_F(DeviceLoss, a_device_lost_in_silence_is_found_by_looking_after_it) {
  support::Service service(puppets(1), repository_, {.slots = 1});
  HttpClient client(service.address());
  client.send(request(1));
  ASSERT_TRUE(service.puppet().wait_in_air(1));
  service.puppet().lose();
  expect_ready(service, 503);
  service.server().look_after_devices();
  EXPECT_EQ(receive(client).status, 500);
}

TEST_F(DeviceLoss, out_of_memory_at_load_is_told_with_its_numbers_and_the_others_serve) {
  auto devices = puppets(1);
  devices[0]->refuse(support::Verb::compile, 1);
  devices[0]->set_auto_complete(true);
  auto two = repository_;
  two.models.push_back(two.models.front());
  two.models.back().name = "too_large";
  support::Service service(std::move(devices), two);
  HttpClient client(service.address());
  client.send(request(3));
  expect_right(client, 3);
  EXPECT_EQ(client.get("/v2/health/ready").status, 200);
  const auto answer = client.get("/v2/models/too_large");
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.body.find("compile: asked for 2 bytes, free 1, limit 1"), std::string::npos) << answer.body;
}

TEST_F(DeviceLoss, out_of_memory_at_open_says_which_device_and_slot) {
  for (const auto verb : {support::Verb::allocate_host, support::Verb::open_slot}) {
    auto devices = puppets(2);
    devices[verb == support::Verb::open_slot ? 1 : 0]->refuse(verb, verb == support::Verb::open_slot ? 1 : 0);
    try {
      const support::Service service(std::move(devices), repository_, {.slots = 2});
      FAIL() << "started without memory";
    } catch (const std::runtime_error& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("asked for 2 bytes, free 1, limit 1"), std::string::npos) << text;
      const bool slot = verb == support::Verb::open_slot;
      EXPECT_NE(text.find(slot ? "device puppet:1: slot 2 of 2" : "request buffers"), std::string::npos) << text;
    }
  }
}

TEST_F(DeviceLoss, a_device_that_was_lost_while_loading_is_left_out) {
  auto devices = puppets(2);
  devices[0]->lose();
  devices[1]->set_auto_complete(true);
  support::Service service(std::move(devices), repository_);
  expect_ready(service, 200);
  HttpClient client(service.address());
  for (int i = 0; i < 5; ++i) {
    client.send(request(static_cast<float>(i)));
    expect_right(client, static_cast<float>(i));
  }
  EXPECT_EQ(service.puppet(0).submitted(), 0U);
}

}  // namespace
}  // namespace headrace
