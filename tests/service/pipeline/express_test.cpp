#include "service/pipeline/express.hpp"

#include <gtest/gtest.h>

#include "tests/service/pipeline/rig.hpp"

namespace headrace::pipeline {
namespace {

using std::chrono::microseconds;
using support::Ending;

TEST(Express, ARequestAloneFliesAtOnceAndItsThreadSeesItLand) {
  test::Rig rig({.slots = 2, .express = true});
  rig.device.land_on_look(true);
  const test::Ask ask{.rows = 3, .first = 7};
  const auto sent = rig.send(ask);
  ASSERT_EQ(rig.device.in_air().size(), 1u) << "before any other thread ran";
  EXPECT_TRUE(rig.device.in_air().front().attended);
  EXPECT_TRUE(rig.mailbox.attending());
  EXPECT_TRUE(rig.home.stopped()) << "its thread's loop was left";
  rig.settle();
  EXPECT_EQ(rig.device.looks(), 1u);
  EXPECT_FALSE(rig.mailbox.attending());
  EXPECT_EQ(sent->answers, 1);
  EXPECT_TRUE(test::answer_is_right(*sent->request, ask));
}

TEST(Express, TheNextOnesGoThroughTheQueueAndShareAFlight) {
  test::Rig rig({.slots = 2, .express = true});
  const auto first = rig.send({.first = 1});
  const auto others = rig.send_many(5, {.first = 2});
  ASSERT_EQ(rig.device.in_air().size(), 1u);
  rig.settle();
  ASSERT_EQ(rig.device.in_air().size(), 2u);
  EXPECT_EQ(rig.device.in_air().back().segments, 5u);
  EXPECT_FALSE(rig.device.in_air().back().attended);
  rig.device.complete_all();
  rig.settle();
  EXPECT_EQ(first->answers, 1);
  for (const auto& other : others) EXPECT_EQ(other->answers, 1);
}

TEST(Express, LargeOnesFlyByThemselvesWhileSlotsAreFree) {
  test::Rig rig({.slots = 3, .express = true, .express_large_bytes = 256});
  const test::Ask large{.rows = 40, .first = 5};
  const auto small = rig.send({.first = 1});
  const auto second = rig.send(large);
  const auto third = rig.send(large);
  const auto fourth = rig.send(large);
  ASSERT_EQ(rig.device.in_air().size(), 3u) << "the fourth found no slot";
  EXPECT_FALSE(rig.device.in_air().back().attended) << "its thread has others to serve";
  rig.device.complete_all();
  rig.settle();
  rig.device.complete_all();
  rig.settle();
  EXPECT_EQ(small->answers, 1);
  for (const auto& sent : {second, third, fourth}) {
    EXPECT_EQ(sent->answers, 1);
    EXPECT_TRUE(test::answer_is_right(*sent->request, large));
  }
}

TEST(Express, ALargeOneDoesNotOvertakeWhoWaits) {
  test::Rig rig({.slots = 2, .express = true, .express_large_bytes = 256});
  const auto first = rig.send({});
  const auto waiting = rig.send({.first = 3});
  const auto large = rig.send({.rows = 40, .first = 5});
  ASSERT_EQ(rig.device.in_air().size(), 1u);
  rig.settle();
  ASSERT_EQ(rig.device.in_air().size(), 2u);
  EXPECT_EQ(rig.device.in_air().back().segments, 2u);
  rig.device.complete_all();
  rig.settle();
  for (const auto& sent : {first, waiting, large}) EXPECT_EQ(sent->answers, 1);
}

TEST(Express, AThreadThatTiresLeavesTheFlightToTheDevice) {
  test::Rig rig({.express = true});
  const auto sent = rig.send({});
  rig.settle();  // looks until its patience is over
  EXPECT_FALSE(rig.mailbox.attending());
  ASSERT_EQ(rig.device.in_air().size(), 1u);
  EXPECT_FALSE(rig.device.in_air().front().attended);
  EXPECT_EQ(sent->answers, 0);
  rig.device.complete_first();
  rig.settle();
  EXPECT_EQ(sent->answers, 1);
}

TEST(Express, AFlightThatLandedElsewhereEndsTheLooking) {
  test::Rig rig({.express = true});
  const auto sent = rig.send({});
  rig.device.complete_first();
  rig.settle();
  EXPECT_EQ(rig.device.looks(), 1u);
  EXPECT_EQ(sent->answers, 1);
}

TEST(Express, WhatTakesLongIsNotAttended) {
  test::Rig rig({.express = true});
  rig.device.set_stage_times(gpu::StageTimes{.kernel = microseconds(400)});
  const auto first = rig.send({});
  rig.device.complete_first();
  rig.settle();
  first->request->release();
  const auto second = rig.send({});
  ASSERT_EQ(rig.device.in_air().size(), 1u) << "it flies at once all the same";
  EXPECT_FALSE(rig.device.in_air().front().attended);
  EXPECT_FALSE(rig.mailbox.attending());
  rig.device.complete_first();
  rig.settle();
  EXPECT_EQ(second->answers, 1);
}

TEST(Express, AModelThatHoldsBatchesBackWaitsInItsQueue) {
  test::Rig rig({.queue_delay_us = 60'000'000, .express = true});
  const auto sent = rig.send({});
  rig.settle();
  EXPECT_TRUE(rig.device.in_air().empty());
  rig.door->close();
  rig.settle();
  rig.device.complete_all();
  rig.settle();
  EXPECT_EQ(sent->answers, 1);
}

TEST(Express, AFailedFlightIsAnswered) {
  test::Rig rig({.express = true});
  const auto sent = rig.send({});
  rig.device.complete_first(Ending::launch_failed);
  rig.settle();
  ASSERT_TRUE(sent->request->error);
  EXPECT_EQ(sent->request->error->code, proto::ErrorCode::device_failed);
  EXPECT_EQ(rig.free_slots(), 1u);
}

TEST(Express, ALostDeviceIsSeenBeforeAnythingFlies) {
  test::Rig rig({.slots = 2, .express = true});
  rig.checks_memory = false;
  const auto prepared = rig.prepared({});
  ASSERT_TRUE(prepared);
  rig.device.lose();
  ASSERT_TRUE(rig.door->submit(*prepared));
  const auto sent = rig.watch(*prepared);
  rig.settle();
  EXPECT_EQ(sent->answers, 1);
  ASSERT_TRUE(sent->request->error);
  EXPECT_EQ(sent->request->error->code, proto::ErrorCode::not_ready);
}

TEST(Express, OfTwoDevicesTheLivingOneTakesIt) {
  test::Rig rig({.slots = 1, .devices = 2, .express = true});
  rig.checks_memory = false;
  rig.devices[0]->lose();
  for (int i = 0; i < 3; ++i) {
    const auto sent = rig.send({});
    rig.settle();
    rig.devices[1]->complete_all();
    rig.settle();
    EXPECT_EQ(sent->answers, 1);
    EXPECT_FALSE(sent->request->error);
    sent->request->release();
  }
}

}  // namespace
}  // namespace headrace::pipeline
