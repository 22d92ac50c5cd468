// How the process ends after devices were lost: each case is a process of its own, and its exit status.

#include <gtest/gtest.h>

#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "service/app/lifetime.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/infer_text.hpp"
#include "tests/support/service.hpp"

namespace headrace {
namespace {

using app::OnDeviceLost;
using support::HttpAnswer;
using support::HttpClient;

constexpr std::size_t columns = 16;
constexpr int went_wrong = 99;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "went wrong: %s\n", what);
  _exit(went_wrong);
}

/// What a client does to the process that it is in.
struct Story {
  app::Server& server;
  std::vector<support::PuppetDevice*> devices;
  std::string address = server.http_address();
  HttpClient client{address};

  void send() {
    client.send(support::binary_infer_text({.model = "m", .input = "x", .columns = columns},
                                           std::vector<float>(columns, 1.0F)));
  }
  int status() { return client.receive().value_or(HttpAnswer{}).status; }
  /// A flight on that device, which is then lost in silence: the answer says that somebody looked after it.
  void lose(std::size_t device) {
    send();
    require(devices[device]->wait_in_air(1), "the request flies");
    devices[device]->lose();
    require(status() == 500, "the flight is answered 500");
  }
};

/// Serves until the end of the process; `tell` runs on a thread of its own.
void serve(std::size_t count, OnDeviceLost reaction, const std::function<void(Story&)>& tell) {
  app::block_stop_signals();
  std::vector<std::unique_ptr<gpu::Device>> devices;
  std::vector<support::PuppetDevice*> puppets;
  for (std::size_t i = 0; i < count; ++i) {
    auto puppet = std::make_unique<support::PuppetDevice>();
    puppets.push_back(puppet.get());
    devices.push_back(std::move(puppet));
  }
  auto server = support::start_server(std::move(devices), support::affine_repository("m", columns, {}), {.slots = 1});
  // The end of the process does not wait for it.
  std::thread([&tell, story = Story{.server = *server, .devices = puppets}]() mutable { tell(story); }).detach();
  app::ServeConfig config;
  config.on_device_lost = reaction;
  _exit(app::run_to_end(std::move(server), config));
}

class LifetimeDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(LifetimeDeathTest, without_a_device_the_process_answers_and_exits_for_its_supervisor) {
  const auto story = [](Story& told) {
    HttpClient other(told.address);
    other.send("POST /v2/models/m/infer HTTP/1.1\r\nHost: t\r\nContent-Length: 100\r\n\r\n{");
    while (told.server.engine().door().requests_in_flight() == 0) std::this_thread::yield();
    told.lose(0);
    // The process waits a while for what it has begun, so there is time to see that it refuses what is new.
    HttpClient late(told.address);
    require(late.get("/v2/health/ready").status == 503, "it is not ready");
  };
  EXPECT_EXIT(serve(1, OnDeviceLost::exit, story), testing::ExitedWithCode(app::exit_device_lost),
              "no device is left: answering what is in flight, then leaving");
}

TEST_F(LifetimeDeathTest, it_stays_where_it_was_told_to_and_ends_by_signal) {
  const auto story = [](Story& told) {
    told.lose(0);
    require(told.client.get("/v2/health/ready").status == 503, "it is not ready");
    require(told.client.get("/v2/health/live").status == 200, "it is alive");
    told.send();
    require(told.status() == 503, "what comes later is refused");
    kill(getpid(), SIGTERM);
  };
  EXPECT_EXIT(serve(1, OnDeviceLost::stay, story), testing::ExitedWithCode(app::exit_ok),
              "no device is left: staying, not ready");
}

TEST_F(LifetimeDeathTest, with_a_healthy_device_it_serves_on) {
  const auto story = [](Story& told) {
    told.lose(0);
    told.devices[1]->set_auto_complete(true);
    told.send();
    require(told.status() == 200, "the other device serves");
    require(told.client.get("/v2/health/ready").status == 200, "it is ready");
    kill(getpid(), SIGTERM);
  };
  EXPECT_EXIT(serve(2, OnDeviceLost::exit, story), testing::ExitedWithCode(app::exit_ok), "devices_left=\"1 of 2\"");
}

TEST_F(LifetimeDeathTest, the_last_of_several_ends_it) {
  const auto story = [](Story& told) {
    told.lose(0);
    told.lose(1);
  };
  EXPECT_EXIT(serve(2, OnDeviceLost::exit, story), testing::ExitedWithCode(app::exit_device_lost),
              "devices_left=\"0 of 2\"");
}

TEST_F(LifetimeDeathTest, a_device_that_is_lost_during_the_drain_does_not_hold_it_up) {
  const auto story = [](Story& told) {
    HttpClient other(told.address);
    told.send();
    require(told.devices[0]->wait_in_air(1), "the request flies");
    kill(getpid(), SIGTERM);
    while (other.get("/v2/health/ready").status == 200) std::this_thread::yield();
    told.devices[0]->lose();
    require(told.status() == 500, "the flight is answered 500");
  };
  EXPECT_EXIT(serve(1, OnDeviceLost::exit, story), testing::ExitedWithCode(app::exit_ok), "device lost");
}

}  // namespace
}  // namespace headrace
