// Devices that are lost, in every order that the puppet can produce: nobody waits for ever, nobody is answered twice,
// and the devices that live serve on.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/service/pipeline/rig.hpp"

namespace headrace::pipeline {
namespace {

using proto::ErrorCode;
using support::Ending;
using support::Moment;
using test::Ask;
using test::Rig;
using Sent = std::shared_ptr<Rig::Sent>;

class DeviceLoss : public testing::Test {
 protected:
  Rig& make(const test::RigOptions& options) {
    rig_ = std::make_unique<Rig>(options);
    rig_->checks_memory = false;
    return *rig_;
  }
  /// One flight of one request on each slot, in the order of the requests.
  std::vector<Sent> fill(Rig& rig, std::size_t flights) {
    std::vector<Sent> all;
    for (std::size_t i = 0; i < flights; ++i) {
      all.push_back(rig.send({.first = static_cast<float>(i)}));
      rig.settle();
    }
    return all;
  }

  std::unique_ptr<Rig> rig_;
};

void expect_error(const Sent& sent, ErrorCode code) {
  ASSERT_EQ(sent->answers, 1);
  ASSERT_TRUE(sent->request->error);
  EXPECT_EQ(sent->request->error->code, code) << sent->request->error->message;
}

void expect_right(const Sent& sent, const Ask& ask) {
  ASSERT_EQ(sent->answers, 1);
  ASSERT_FALSE(sent->request->error) << sent->request->error->message;
  EXPECT_TRUE(test::answer_is_right(*sent->request, ask));
}

TEST_F(DeviceLoss, OneNoticeAnswersEverythingInTheAirAndTheDevicesOwnNoticesAreLate) {
  auto& rig = make({.slots = 3});
  const auto all = fill(rig, 3);
  const auto air = rig.device.in_air();
  ASSERT_EQ(air.size(), 3u);
  rig.device.complete(air[1].flight, Ending::device_lost);
  rig.settle();
  for (const auto& each : all) expect_error(each, ErrorCode::device_failed);
  EXPECT_EQ(rig.slots->ring(0).counts()[0], 3u) << "all home, although two never ended";
  EXPECT_EQ(rig.pool->bytes_abandoned(), rig.pool->bytes_held());
  rig.device.complete(air[0].flight, Ending::ok);  // it still writes into what was set aside
  rig.device.complete(air[2].flight, Ending::device_lost);
  rig.device.repeat_notice(air[1].flight);
  rig.settle();
  for (const auto& each : all) EXPECT_EQ(each->answers, 1);
  EXPECT_EQ(rig.slots->ring(0).spurious_notices(), 3u);
}

TEST_F(DeviceLoss, InSilenceItIsFoundByLooking) {
  auto& rig = make({.slots = 2});
  const auto flying = fill(rig, 2);
  const auto queued = rig.send_many(5);
  rig.settle();
  rig.device.lose();
  rig.settle();
  EXPECT_EQ(flying[0]->answers, 0);
  EXPECT_TRUE(rig.door->device_lost()) << "not ready, even before somebody looked";
  rig.slots->look_for_losses();
  rig.settle();
  for (const auto& each : flying) expect_error(each, ErrorCode::device_failed);
  for (const auto& each : queued) expect_error(each, ErrorCode::not_ready);
  EXPECT_EQ(rig.device.submitted(), 2u);
}

TEST_F(DeviceLoss, TheOtherServesOnAndNothingThatWaitedIsLost) {
  auto& rig = make({.slots = 1, .devices = 2});
  const auto flying = fill(rig, 2);
  const auto queued = rig.send_many(6, {.rows = 2, .first = 7});
  rig.settle();
  rig.devices[0]->complete_first(Ending::device_lost);
  rig.settle();
  expect_error(flying[0], ErrorCode::device_failed);
  EXPECT_FALSE(rig.door->device_lost());
  rig.devices[1]->complete_all();
  rig.settle();
  rig.devices[1]->complete_all();
  rig.settle();
  expect_right(flying[1], {.first = 1});
  for (const auto& each : queued) expect_right(each, {.rows = 2, .first = 7});
  EXPECT_EQ(rig.devices[0]->submitted(), 1u);
}

TEST_F(DeviceLoss, ADeviceThatDiesAtAnyLookBeforeTheSubmissionCostsNoRequest) {
  for (std::size_t look = 1; look <= 24; ++look) {
    auto& rig = make({.slots = 2, .devices = 2});
    rig.devices[0]->lose_when(Moment::looked_at, look);
    std::vector<Sent> all;
    std::vector<Ask> asks;
    for (std::uint32_t i = 0; i < 12; ++i) {
      asks.push_back({.rows = i % 3 + 1, .first = static_cast<float>(10 * i)});
      all.push_back(rig.send(asks.back()));
      rig.settle();
      rig.devices[0]->complete_all();  // what was submitted before the loss ended well
      if (i % 2 == 1) rig.devices[1]->complete_all();
      rig.settle();
    }
    rig.devices[1]->complete_all();
    rig.settle();
    for (std::size_t i = 0; i < all.size(); ++i) {
      SCOPED_TRACE(testing::Message() << "look " << look << ", request " << i);
      expect_right(all[i], asks[i]);
    }
  }
}

TEST_F(DeviceLoss, ADeviceThatDiesAtASubmissionFailsThatFlightAlone) {
  for (std::size_t submission = 1; submission <= 3; ++submission) {
    auto& rig = make({.slots = 1, .devices = 2});
    rig.devices[0]->lose_when(Moment::submitted_to, submission);
    std::size_t failed = 0;
    for (int i = 0; i < 8; ++i) {
      const auto sent = rig.send({});
      rig.settle();
      for (const auto& device : rig.devices) device->complete_all();
      rig.settle();
      ASSERT_EQ(sent->answers, 1);
      failed += sent->request->error ? 1 : 0;
    }
    EXPECT_EQ(failed, 1u);
    EXPECT_EQ(rig.devices[0]->submitted(), submission);
    EXPECT_FALSE(rig.door->device_lost());
  }
}

TEST_F(DeviceLoss, WhoWaitsForASlotLearnsThatNoneWillCome) {
  auto& rig = make({.slots = 1, .devices = 2});
  const auto flying = fill(rig, 2);
  const auto queued = rig.send_many(3);
  rig.settle();
  rig.devices[1]->complete_first(Ending::device_lost);
  rig.settle();
  EXPECT_EQ(queued[0]->answers, 0) << "the other one may still free its slot";
  rig.devices[0]->lose();
  rig.slots->look_for_losses();
  rig.settle();
  for (const auto& each : flying) expect_error(each, ErrorCode::device_failed);
  for (const auto& each : queued) expect_error(each, ErrorCode::not_ready);
  EXPECT_TRUE(rig.door->device_lost());
}

TEST_F(DeviceLoss, OneAfterTheOther) {
  auto& rig = make({.slots = 2, .devices = 3});
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_FALSE(rig.door->device_lost());
    const auto flying = fill(rig, 2 * (3 - d));
    rig.devices[d]->complete_first(Ending::device_lost);
    rig.settle();
    for (std::size_t other = d + 1; other < 3; ++other) rig.devices[other]->complete_all();
    rig.settle();
    const auto failed = std::count_if(flying.begin(), flying.end(), [](const Sent& s) { return !!s->request->error; });
    EXPECT_EQ(failed, 2) << "what that one had in the air";
    for (const auto& each : flying) EXPECT_EQ(each->answers, 1);
  }
  EXPECT_TRUE(rig.door->device_lost());
}

TEST_F(DeviceLoss, DuringTheDrain) {
  auto& rig = make({.slots = 1, .devices = 2});
  const auto flying = fill(rig, 2);
  const auto queued = rig.send_many(4, {.first = 3});
  rig.settle();
  rig.door->close();
  rig.settle();
  EXPECT_FALSE(rig.batcher->drained());
  rig.devices[0]->complete_first(Ending::device_lost);
  rig.settle();
  rig.devices[1]->complete_first();
  rig.settle();
  EXPECT_TRUE(rig.batcher->drained());
  rig.devices[1]->complete_first();
  rig.settle();
  expect_error(flying[0], ErrorCode::device_failed);
  expect_right(flying[1], {.first = 1});
  for (const auto& each : queued) expect_right(each, {.first = 3});
}

TEST_F(DeviceLoss, OfTheLastOneDuringTheDrain) {
  for (const bool silent : {false, true}) {
    auto& rig = make({.slots = 1});
    const auto flying = fill(rig, 1);
    const auto queued = rig.send_many(3);
    rig.settle();
    rig.door->close();
    if (silent) {
      rig.device.lose();
      rig.slots->look_for_losses();
    } else {
      rig.device.complete_first(Ending::device_lost);
    }
    rig.settle();
    expect_error(flying[0], ErrorCode::device_failed);
    for (const auto& each : queued) expect_error(each, ErrorCode::not_ready);
    EXPECT_TRUE(rig.batcher->drained());
  }
}

TEST_F(DeviceLoss, ABatchThatIsHeldBackIsRefusedWhenTheQueueCloses) {
  auto& rig = make({.slots = 1, .queue_delay_us = 3'600'000'000});
  const auto held = rig.send({});
  rig.settle();
  rig.device.lose();
  rig.slots->look_for_losses();
  rig.settle();
  EXPECT_EQ(held->answers, 0);
  rig.door->close();
  rig.settle();
  expect_error(held, ErrorCode::not_ready);
}

TEST_F(DeviceLoss, WhoLeftIsNotAnsweredAndWhoseTimeRanOutIsToldThat) {
  auto& rig = make({.slots = 1});
  const auto flying = fill(rig, 1);
  const auto gone = rig.send({});
  const auto late = rig.send({.timeout_us = 1});
  const auto queued = rig.send({});
  gone->request->leave();
  flying[0]->request->leave();
  const auto due = telemetry::Clock::now() + std::chrono::milliseconds(1);
  ASSERT_TRUE(rig.run_until([due] { return telemetry::Clock::now() > due; }));
  rig.device.complete_first(Ending::device_lost);
  rig.settle();
  EXPECT_EQ(gone->answers, 1);
  EXPECT_FALSE(gone->answered);
  EXPECT_FALSE(flying[0]->answered);
  expect_error(late, ErrorCode::deadline_expired);
  expect_error(queued, ErrorCode::not_ready);
}

TEST_F(DeviceLoss, OfLittleMemoryGoesOnAndOfMostOfItEndsTheService) {
  auto& rig = make({.slots = 1, .devices = 3, .memory_bytes = 32'768});
  const auto first = rig.send_many(4);
  rig.settle();
  const auto held = rig.pool->bytes_held();
  ASSERT_LT(held, rig.pool->bytes_total() / 2);
  rig.devices[0]->complete_first(Ending::device_lost);
  rig.settle();
  EXPECT_FALSE(rig.door->device_lost());
  for (const auto& each : first) each->request->release();
  EXPECT_EQ(rig.door->bytes_held(), 0u);
  // The rest of the memory is there for the others, and when it is in use the answer is "later", not "never".
  std::vector<Sent> more;
  for (auto request = rig.prepared({}); request; request = rig.prepared({})) {
    ASSERT_TRUE(rig.door->submit(*request));
    more.push_back(std::make_shared<Rig::Sent>(Rig::Sent{.request = *request}));
  }
  EXPECT_EQ(rig.prepared({}).error().code, ErrorCode::over_budget);
  ASSERT_FALSE(more.empty());
  rig.settle();
  rig.devices[1]->complete_all(Ending::device_lost);
  rig.devices[2]->complete_all(Ending::ok);
  rig.settle();
  rig.devices[2]->complete_all(Ending::ok);
  rig.settle();
  for (const auto& each : more) each->request->release();
  EXPECT_FALSE(rig.slots->lost());
  EXPECT_EQ(rig.door->device_lost(), rig.pool->bytes_abandoned() > rig.pool->bytes_total() / 2);
}

// --- every order
// -------------------------------------------------------------------------------------------------------------

class AnyOrder : public testing::TestWithParam<std::uint32_t> {
 protected:
  struct Asked {
    Sent sent;
    Ask ask;
    bool left = false;
  };

  void step(Rig& rig) {
    auto& device = *rig.devices[random_() % rig.devices.size()];
    const auto air = device.in_air();
    switch (random_() % 14) {
      case 0:
      case 1:
      case 2:
      case 3: send(rig); break;
      case 4:
      case 5:
      case 6: device.complete_nth(random_() % 2); break;
      case 7: device.complete_nth(random_() % 2, Ending::launch_failed); break;
      case 8: device.repeat_notice(random_() % 20 + 1); break;
      case 9: rig.slots->look_for_losses(); break;
      case 10: leave_one(); break;
      case 11: lose(device); break;
      default: rig.settle();
    }
  }

  void lose(support::PuppetDevice& device) {
    switch (random_() % 8) {
      case 0: device.complete_nth(random_() % 2, Ending::device_lost); break;
      case 1: device.lose(); break;
      case 2: device.lose_when(Moment::looked_at, random_() % 6 + 1); break;
      case 3: device.lose_when(Moment::submitted_to, random_() % 3 + 1); break;
      default: break;
    }
  }

  void send(Rig& rig) {
    const Ask ask{.rows = static_cast<std::uint32_t>(random_() % 5 + 1), .first = static_cast<float>(random_() % 999)};
    auto request = rig.prepared(ask);
    if (!request || !rig.door->submit(*request)) return;
    asked_.push_back({rig.watch(*request), ask});
  }

  void leave_one() {
    if (asked_.empty()) return;
    auto& asked = asked_[random_() % asked_.size()];
    if (asked.sent->answers != 0) return;
    asked.sent->request->leave();
    asked.left = true;
  }

  void check(const Rig& rig) {
    const bool lost = rig.slots->lost();
    for (const auto& [sent, ask, left] : asked_) {
      ASSERT_EQ(sent->answers, 1);
      ASSERT_EQ(sent->answered, !left);
      if (left) continue;
      const auto& error = sent->request->error;
      if (!error) {
        ASSERT_TRUE(test::answer_is_right(*sent->request, ask));
      } else {
        ASSERT_TRUE(error->code == ErrorCode::device_failed || (lost && error->code == ErrorCode::not_ready))
            << error->message;
      }
    }
  }

  std::minstd_rand random_{GetParam()};
  std::vector<Asked> asked_;
};

TEST_P(AnyOrder, EveryRequestIsAnsweredOnceAndEverySlotComesHome) {
  for (int round = 0; round < 120; ++round) {
    asked_.clear();
    Rig rig({.slots = 2, .devices = static_cast<std::uint32_t>(random_() % 3 + 1), .rows_max = 8, .segments_max = 3});
    rig.checks_memory = false;
    for (int steps = static_cast<int>(random_() % 80); steps > 0; --steps) step(rig);
    rig.door->close();
    for (int steps = static_cast<int>(random_() % 20); steps > 0; --steps) step(rig);
    // From here on only devices that live end their flights.
    ASSERT_TRUE(rig.run_until([&rig] {
      rig.slots->look_for_losses();
      for (const auto& device : rig.devices) {
        if (!device->lost()) device->complete_all();
      }
      return rig.batcher->drained() && rig.all_home();
    })) << "round "
        << round;
    rig.settle();
    check(rig);
    if (HasFatalFailure()) FAIL() << "round " << round;
    for (const auto& asked : asked_) asked.sent->request->release();
  }
}

INSTANTIATE_TEST_SUITE_P(Seed, AnyOrder, testing::Range(1u, 9u));

}  // namespace
}  // namespace headrace::pipeline
