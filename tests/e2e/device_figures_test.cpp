// What /metrics says of the devices, and of the bytes that the host had to move for them.

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "service/http/inbound.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/infer_text.hpp"
#include "tests/support/service.hpp"

namespace headrace {
namespace {

using support::Ending;

TEST(HostCopies, a_binary_mebibyte_is_read_into_place) {
  const support::Service service{support::shipped_models()};
  support::HttpClient client{service.address()};
  const std::vector<float> rows(64 * 4096, 1.0F);
  const std::string request = support::binary_infer_text({}, rows);
  ASSERT_GT(request.size(), 1U << 20);
  constexpr int requests = 4;  // kept alive: the later ones begin in the read that watches for the client's departure
  for (int i = 0; i < requests; ++i) {
    ASSERT_TRUE(client.send(request));
    ASSERT_EQ(client.receive().value_or(support::HttpAnswer{}).status, 200);
  }
  const auto copied = [&service](const std::string& path) {
    return service.metric("headrace_host_copied_bytes_total{path=\"" + path + "\"}");
  };
  EXPECT_GE(copied("body_prefix"), 0);
  EXPECT_LT(copied("body_prefix"), requests * http::Inbound::capacity_bytes_initial);
  EXPECT_EQ(copied("gather"), 0) << "rows of a large request are read and answered in place";
  EXPECT_EQ(copied("chunked"), 0);
}

TEST(HostCopies, what_came_with_its_head_is_counted) {
  const support::Service service{support::shipped_models()};
  support::HttpClient client{service.address()};
  const std::string request = support::binary_infer_text({}, std::vector<float>(64 * 3, 1.0F));
  ASSERT_TRUE(client.send(request));
  ASSERT_EQ(client.receive().value_or(support::HttpAnswer{}).status, 200);
  const double copied = service.metric("headrace_host_copied_bytes_total{path=\"body_prefix\"}");
  EXPECT_GT(copied, 0);
  EXPECT_LT(copied, request.size());
}

TEST(DeviceFigures, the_cpu_device_shows_its_work) {
  const support::Service service{support::shipped_models()};
  support::HttpClient client{service.address()};
  EXPECT_EQ(service.metric(R"(headrace_device_busy_seconds_total{device="cpu",engine="kernel"})"), 0);
  ASSERT_TRUE(client.send(support::binary_infer_text({}, std::vector<float>(64 * 100, 1.0F))));
  ASSERT_EQ(client.receive().value_or(support::HttpAnswer{}).status, 200);
  EXPECT_EQ(service.metric(R"(headrace_flights_total{device="cpu",transfer="in_place",outcome="ok"})"), 1);
  EXPECT_EQ(service.metric(R"(headrace_flights_total{device="cpu",transfer="in_place",outcome="failed"})"), 0);
  EXPECT_EQ(service.metric(R"(headrace_flights_total{device="cpu",transfer="copy_engines",outcome="ok"})"), 0);
  EXPECT_GT(service.metric(R"(headrace_device_busy_seconds_total{device="cpu",engine="kernel"})"), 0);
  EXPECT_EQ(service.metric(R"(headrace_device_busy_seconds_total{device="cpu",engine="h2d"})"), 0);
  EXPECT_EQ(service.metric(R"(headrace_device_lost{device="cpu"})"), 0);
  EXPECT_EQ(service.metric(R"(headrace_spurious_notices_total{device="cpu"})"), 0);
  const auto text = support::HttpClient(service.admin_address()).get("/metrics").body;
  EXPECT_NE(text.find(R"(headrace_device_info{device="cpu",kind="cpu",name=")"), std::string::npos);
  EXPECT_EQ(text.find("headrace_device_power_watts"), std::string::npos) << "no driver, no figure";
}

TEST(DeviceFigures, what_the_driver_says_and_how_flights_end) {
  auto device = std::make_unique<support::PuppetDevice>();
  device->set_sensors(gpu::DeviceSensors{.utilisation = 0.37,
                                         .memory_used_bytes = 1'500'000'000,
                                         .memory_total_bytes = 150'000'000'000,
                                         .power_watts = 412.5,
                                         .temperature_celsius = std::nullopt});
  device->set_activity({.h2d = std::chrono::milliseconds(1500), .kernel = {}, .d2h = std::chrono::milliseconds(500)});
  device->set_transfer(gpu::Transfer::copy_engines);
  support::Service service{std::move(device), support::affine_repository("m", 4, {})};
  EXPECT_EQ(service.metric(R"(headrace_device_utilisation_ratio{device="puppet"})"), 0.37);
  EXPECT_EQ(service.metric(R"(headrace_device_memory_used_bytes{device="puppet"})"), 1.5e9);
  EXPECT_EQ(service.metric(R"(headrace_device_memory_total_bytes{device="puppet"})"), 150e9);
  EXPECT_EQ(service.metric(R"(headrace_device_power_watts{device="puppet"})"), 412.5);
  EXPECT_EQ(service.metric(R"(headrace_device_temperature_celsius{device="puppet"})"), -1) << "no value, no series";
  EXPECT_EQ(service.metric(R"(headrace_device_busy_seconds_total{device="puppet",engine="h2d"})"), 1.5);
  EXPECT_EQ(service.metric(R"(headrace_device_busy_seconds_total{device="puppet",engine="d2h"})"), 0.5);

  support::HttpClient client{service.address()};
  const auto ask = [&](Ending ending) {
    client.send(support::binary_infer_text({.model = "m", .input = "x", .columns = 4}, std::vector<float>(4, 1.0F)));
    EXPECT_TRUE(service.puppet().wait_in_air(1));
    const auto flight = service.puppet().in_air().front().flight;
    EXPECT_TRUE(service.puppet().complete(flight, ending));
    EXPECT_TRUE(service.puppet().repeat_notice(flight));
    return client.receive().value_or(support::HttpAnswer{}).status;
  };
  EXPECT_EQ(ask(Ending::ok), 200);
  EXPECT_EQ(ask(Ending::launch_failed), 500);
  EXPECT_EQ(service.metric(R"(headrace_flights_total{device="puppet",transfer="copy_engines",outcome="ok"})"), 1);
  EXPECT_EQ(service.metric(R"(headrace_flights_total{device="puppet",transfer="copy_engines",outcome="failed"})"), 1);
  EXPECT_EQ(service.metric(R"(headrace_spurious_notices_total{device="puppet"})"), 2);
}

}  // namespace
}  // namespace headrace
