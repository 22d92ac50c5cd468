#include "service/pipeline/flight.hpp"

#include <gtest/gtest.h>

#include "tests/service/pipeline/rig.hpp"

namespace headrace::pipeline {
namespace {

using support::Ending;
using telemetry::Stage;

TEST(Flight, AnswersEveryRequestWithItsOwnRows) {
  test::Rig rig;
  std::vector<test::Ask> asks;
  std::vector<std::shared_ptr<test::Rig::Sent>> all;
  for (std::uint32_t i = 0; i < 6; ++i) {
    asks.push_back({.rows = i + 1, .first = 100.0F * static_cast<float>(i)});
    all.push_back(rig.send(asks.back()));
  }
  rig.settle();
  ASSERT_EQ(rig.device.complete_all(), 1u);
  rig.settle();
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i]->answers, 1);
    EXPECT_TRUE(all[i]->answered);
    EXPECT_FALSE(all[i]->request->error);
    EXPECT_TRUE(test::answer_is_right(*all[i]->request, asks[i])) << i;
    EXPECT_EQ(all[i]->order, i + 1) << "answers leave in the order of the batch";
  }
}

TEST(Flight, AFailedOneFailsItsRequestsAlone) {
  test::Rig rig({.slots = 2});
  const auto unlucky = rig.send({});
  rig.settle();
  const auto lucky = rig.send({});
  rig.settle();
  ASSERT_EQ(rig.device.in_air().size(), 2u);
  rig.device.complete_first(Ending::launch_failed);
  rig.settle();
  ASSERT_TRUE(unlucky->request->error);
  EXPECT_EQ(unlucky->request->error->code, proto::ErrorCode::device_failed);
  EXPECT_EQ(unlucky->request->error->message, "the device could not run the batch");
  EXPECT_EQ(lucky->answers, 0);
  rig.device.complete_first();
  rig.settle();
  EXPECT_FALSE(lucky->request->error);
  EXPECT_FALSE(rig.door->device_lost());
  EXPECT_EQ(rig.free_slots(), 2u);
  const auto later = rig.send({});
  rig.settle();
  rig.device.complete_first();
  rig.settle();
  EXPECT_FALSE(later->request->error) << "the slot serves on";
}

TEST(Flight, ALostDeviceKeepsTheBuffersAndGivesThePermitsBack) {
  test::Rig rig;
  rig.checks_memory = false;
  auto sent = rig.send_many(3);
  rig.settle();
  const auto held = rig.pool->bytes_held();
  EXPECT_GT(held, 0u);
  rig.device.complete_first(Ending::device_lost);
  rig.settle();
  for (const auto& each : sent) {
    ASSERT_TRUE(each->request->error);
    EXPECT_EQ(each->request->error->message, "the device was lost while the batch was in flight");
    each->request->release();
  }
  EXPECT_EQ(rig.pool->bytes_held(), held) << "a dead device may still write there";
  EXPECT_EQ(rig.pool->bytes_abandoned(), held);
  EXPECT_EQ(rig.door->bytes_held(), 0u);
  EXPECT_EQ(rig.door->requests_in_flight(), 0u);
}

TEST(Flight, OwnsTheBuffersOfWhoLeftUntilItsNotice) {
  test::Rig rig;
  auto sent = rig.send({});
  rig.settle();
  const std::weak_ptr<Request> watched = sent->request;
  sent->request->leave();
  EXPECT_EQ(sent->answers, 1);
  EXPECT_FALSE(sent->answered);
  sent.reset();  // the session goes too
  EXPECT_FALSE(watched.expired());
  EXPECT_GT(rig.pool->bytes_held(), 0u);
  rig.device.complete_first();
  rig.settle();
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(rig.pool->bytes_held(), 0u);
  EXPECT_EQ(rig.door->requests_in_flight(), 0u);
}

TEST(Flight, StampsTheDevicesTimes) {
  using std::chrono::nanoseconds;
  test::Rig rig;
  rig.device.set_stage_times(gpu::StageTimes{nanoseconds(1), nanoseconds(2), nanoseconds(3), nanoseconds(4)});
  const auto sent = rig.send({});
  rig.settle();
  rig.device.complete_first();
  rig.settle();
  const auto& timeline = sent->request->timeline;
  EXPECT_EQ(timeline.of(Stage::pack), nanoseconds(1));
  EXPECT_EQ(timeline.of(Stage::h2d), nanoseconds(2));
  EXPECT_EQ(timeline.of(Stage::kernel), nanoseconds(3));
  EXPECT_EQ(timeline.of(Stage::d2h), nanoseconds(4));
}

TEST(Flight, ASecondNoticeChangesNothing) {
  test::Rig rig;
  const auto sent = rig.send({});
  rig.settle();
  const auto flight = rig.device.in_air().front().flight;
  rig.device.complete_first();
  rig.settle();
  EXPECT_TRUE(rig.device.repeat_notice(flight));
  rig.settle();
  EXPECT_EQ(sent->answers, 1);
  EXPECT_EQ(rig.free_slots(), 1u);
  EXPECT_EQ(rig.slots->ring(0).spurious_notices(), 1u);
}

TEST(Flight, EveryBatchIsCounted) {
  test::Rig rig({.rows_max = 8});
  const auto sent = rig.send_many(4, {.rows = 4});
  for (int i = 0; i < 2; ++i) {
    rig.settle();
    rig.device.complete_first();
  }
  rig.settle();
  EXPECT_EQ(rig.model->metrics.sums().batches, 2u);
}

TEST(Flight, IsCountedByWayAndByEnd) {
  test::Rig rig;
  const auto fly = [&rig](gpu::Transfer transfer, Ending ending) {
    rig.device.set_transfer(transfer);
    const auto sent = rig.send({});
    rig.settle();
    ASSERT_TRUE(rig.device.complete_first(ending));
    rig.settle();
    EXPECT_EQ(sent->answers, 1);
  };
  fly(gpu::Transfer::in_place, Ending::ok);
  fly(gpu::Transfer::in_place, Ending::ok);
  fly(gpu::Transfer::copy_engines, Ending::ok);
  fly(gpu::Transfer::copy_engines, Ending::launch_failed);
  const std::string text = rig.metrics.render();
  for (const auto* const line : {R"({device="puppet",transfer="in_place",outcome="ok"} 2)",
                                 R"({device="puppet",transfer="in_place",outcome="failed"} 0)",
                                 R"({device="puppet",transfer="copy_engines",outcome="ok"} 1)",
                                 R"({device="puppet",transfer="copy_engines",outcome="failed"} 1)"}) {
    EXPECT_NE(text.find("headrace_flights_total" + std::string(line) + "\n"), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace headrace::pipeline
