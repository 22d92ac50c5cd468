#include "service/http/timeouts.hpp"

#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headrace::http {
namespace {

using std::chrono::milliseconds;
using telemetry::Clock;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr TimeoutOptions options{
    .idle = milliseconds(400), .header = milliseconds(300), .progress = milliseconds(200), .linger = milliseconds(100)};

class TimeoutsTest : public testing::Test {
 protected:
  class Waiting final : public Timeouts::Entry {
   public:
    Waiting(TimeoutsTest& test, std::string name) : test_(test), name_(std::move(name)) {}
    void on_timeout(TimeoutClass timeout) noexcept override {
      test_.told.push_back(name_ + std::to_string(static_cast<int>(timeout)));
      if (then) then();
    }
    std::function<void()> then;

   private:
    TimeoutsTest& test_;
    std::string name_;
  };

  /// Sweeps at that many milliseconds after the start; returns who was told.
  std::vector<std::string> at(int ms) {
    told.clear();
    timeouts.sweep(start + milliseconds(ms));
    return told;
  }
  void arm(Waiting& entry, TimeoutClass timeout, int ms) { timeouts.arm(entry, timeout, start + milliseconds(ms)); }

  const Clock::time_point start{std::chrono::hours(1)};
  asio::io_context context;
  Timeouts timeouts{context.get_executor(), options};
  std::vector<std::string> told;
  Waiting a{*this, "a"}, b{*this, "b"}, c{*this, "c"};
};

TEST_F(TimeoutsTest, EachClassHasItsTime) {
  Waiting d(*this, "d");
  arm(a, TimeoutClass::idle, 0);
  arm(b, TimeoutClass::header, 0);
  arm(c, TimeoutClass::progress, 0);
  arm(d, TimeoutClass::linger, 0);
  EXPECT_THAT(at(99), IsEmpty());
  EXPECT_THAT(at(100), ElementsAre("d3"));
  EXPECT_THAT(at(199), IsEmpty());
  EXPECT_THAT(at(200), ElementsAre("c2"));
  EXPECT_THAT(at(400), ElementsAre("a0", "b1"));
  EXPECT_THAT(at(9999), IsEmpty()) << "told once";
}

TEST_F(TimeoutsTest, OneClassLeavesInTheOrderOfArming) {
  arm(b, TimeoutClass::idle, 0);
  arm(a, TimeoutClass::idle, 10);
  arm(c, TimeoutClass::idle, 20);
  EXPECT_THAT(at(410), ElementsAre("b0", "a0"));
  EXPECT_THAT(at(420), ElementsAre("c0"));
}

TEST_F(TimeoutsTest, ArmingAgainBeginsAnewAndMayChangeTheClass) {
  arm(a, TimeoutClass::linger, 0);
  arm(b, TimeoutClass::linger, 0);
  arm(a, TimeoutClass::linger, 50);
  EXPECT_THAT(at(100), ElementsAre("b3"));
  arm(a, TimeoutClass::idle, 120);
  EXPECT_THAT(at(200), IsEmpty());
  EXPECT_THAT(at(520), ElementsAre("a0"));
}

TEST_F(TimeoutsTest, DisarmedIsNotTold) {
  arm(a, TimeoutClass::header, 0);
  timeouts.disarm(a);
  timeouts.disarm(a);  // once more is nothing
  timeouts.disarm(b);  // never armed
  EXPECT_THAT(at(9999), IsEmpty());
  arm(a, TimeoutClass::header, 10'000);
  EXPECT_THAT(at(10'300), ElementsAre("a1"));
}

TEST_F(TimeoutsTest, ADestroyedEntryLeavesByItself) {
  auto gone = std::make_unique<Waiting>(*this, "gone");
  arm(a, TimeoutClass::idle, 0);
  arm(*gone, TimeoutClass::idle, 0);
  arm(b, TimeoutClass::idle, 0);
  gone.reset();
  EXPECT_THAT(at(400), ElementsAre("a0", "b0"));
}

TEST_F(TimeoutsTest, AToldEntryMayArmItselfAgainOrEndOthers) {
  auto victim = std::make_unique<Waiting>(*this, "victim");
  arm(a, TimeoutClass::idle, 0);
  arm(*victim, TimeoutClass::idle, 0);
  arm(b, TimeoutClass::idle, 0);
  a.then = [&] {
    victim.reset();
    arm(a, TimeoutClass::linger, 400);
  };
  EXPECT_THAT(at(400), ElementsAre("a0", "b0"));
  a.then = nullptr;
  EXPECT_THAT(at(500), ElementsAre("a3"));
}

TEST_F(TimeoutsTest, SweepsByItselfUntilStopped) {
  arm(a, TimeoutClass::linger, 0);  // long past by the real clock
  a.then = [&] { timeouts.stop(); };
  timeouts.start(milliseconds(1));
  context.run();  // ends, since nothing is left to do after stop()
  EXPECT_THAT(told, ElementsAre("a3"));
}

}  // namespace
}  // namespace headrace::http
