#include "service/http/io_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/post.hpp>
#include <functional>
#include <future>
#include <thread>

#include "tests/support/flight_log.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/puppet_device.hpp"

namespace headrace::http {
namespace {

using std::chrono::milliseconds;
using telemetry::Clock;

/// A device with an attended flight in the air, and a thread that may look for it.
class IoThreadTest : public testing::Test {
 protected:
  IoThreadTest() : thread_(TimeoutOptions{}) {
    slot_ = device_.open_slot(4096, 4).value();
    executable_ = device_.compile(support::affine_program(4, 2, 1), 4, 4096).value();
    slot_->submit({.flight = 1, .executable = executable_.get(), .segments = {}, .rows = 0, .attended = true}, log_);
    thread_.start("hr-test", milliseconds(250));
  }

  void attend(std::chrono::seconds patience) {
    asio::post(thread_.context, [this, patience] { thread_.mailbox.attend(device_, Clock::now() + patience); });
  }
  /// What is posted runs: the loop is alive.
  void expect_alive() {
    std::promise<void> ran;
    asio::post(thread_.context, [&ran] { ran.set_value(); });
    EXPECT_EQ(ran.get_future().wait_for(support::wait_limit), std::future_status::ready);
  }

  support::PuppetDevice device_;
  support::FlightLog log_;
  std::unique_ptr<gpu::Slot> slot_;
  std::unique_ptr<gpu::Executable> executable_;
  IoThread thread_;
};

TEST_F(IoThreadTest, LooksForTheLandingAndGoesOn) {
  device_.land_on_look(true);
  attend(support::wait_limit);
  EXPECT_TRUE(log_.wait_for(1)) << "nobody else ended it";
  expect_alive();
}

TEST_F(IoThreadTest, RunsWhatComesWhileItLooks) {
  attend(support::wait_limit);
  while (device_.looks() == 0) std::this_thread::yield();
  expect_alive();
  EXPECT_EQ(log_.notices(), 0u);
  device_.complete_first();
  expect_alive();
}

TEST_F(IoThreadTest, LooksThoughOneHandlerFollowsTheOther) {
  std::atomic<bool> enough{false};
  std::function<void()> again = [&] {
    if (!enough) asio::post(thread_.context, again);
  };
  asio::post(thread_.context, again);
  attend(support::wait_limit);
  while (device_.looks() < 3) std::this_thread::yield();
  device_.land_on_look(true);
  EXPECT_TRUE(log_.wait_for(1));
  enough = true;
  expect_alive();
}

TEST_F(IoThreadTest, LeavesAFlightThatDoesNotLandInTime) {
  attend(std::chrono::seconds(0));
  while (device_.in_air().front().attended) std::this_thread::yield();
  expect_alive();
  device_.complete_first();
}

TEST_F(IoThreadTest, EndsWhileItLooks) {
  attend(support::wait_limit);
  while (device_.looks() == 0) std::this_thread::yield();
  thread_.stop(true);
  thread_.join();
  EXPECT_FALSE(device_.in_air().front().attended) << "the flight was left to the device";
  device_.complete_first();
}

}  // namespace
}  // namespace headrace::http
