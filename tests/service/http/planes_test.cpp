#include <gmock/gmock.h>

#include "service/http/admin_plane.hpp"
#include "service/http/data_plane.hpp"
#include "tests/service/pipeline/rig.hpp"

namespace headrace::http {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class PlanesTest : public testing::Test {
 protected:
  PlanesTest() {
    rig.door->add_fault("broken", "broken/model.yaml: steps: expected a list, got 3");
    lifecycle.ready = true;
  }

  Reply data(Method method, std::string_view target, std::string_view body = {}) {
    return data_plane.answer(data_plane.match(method, target), body);
  }
  Reply admin(std::string_view target) { return admin_plane.answer(admin_plane.match(Method::get, target), {}); }
  void lose_device() {
    rig.checks_memory = false;
    const auto sent = rig.send({});
    rig.settle();
    rig.device.complete_first(support::Ending::device_lost);
    rig.settle();
    ASSERT_TRUE(rig.door->device_lost());
  }

  test::Rig rig;
  Lifecycle lifecycle;
  DataPlane data_plane{*rig.door, lifecycle, "1.2.3"};
  AdminPlane admin_plane{rig.metrics, *rig.door, lifecycle};
};

void expect(const Reply& reply, int status, std::string_view body) {
  EXPECT_EQ(reply.status, status) << reply.body;
  EXPECT_EQ(reply.content_type, json_type);
  EXPECT_EQ(reply.body, body);
}

TEST_F(PlanesTest, Health) {
  for (const std::string_view target : {"/v2/health/live", "/v2/health/ready"}) {
    expect(data(Method::get, target), 200, admin(target).body);
  }
  expect(data(Method::get, "/v2/health/live"), 200, R"({"live":true})");
  expect(data(Method::get, "/v2/health/ready"), 200, R"({"live":true,"ready":true})");
  expect(data(Method::get, "/v2/models/m/ready"), 200, R"({"name":"m","ready":true})");
}

TEST_F(PlanesTest, NotReadyIs503OnBothPlanes) {
  lifecycle.ready = false;
  expect(data(Method::get, "/v2/health/ready"), 503, R"({"live":true,"ready":false})");
  expect(admin("/v2/health/ready"), 503, R"({"live":true,"ready":false})");
  expect(data(Method::get, "/v2/models/m/ready"), 503, R"({"name":"m","ready":false})");
  expect(data(Method::get, "/v2/health/live"), 200, R"({"live":true})");
}

TEST_F(PlanesTest, ALostDeviceIsNotReady) {
  lose_device();
  expect(data(Method::get, "/v2/health/ready"), 503, R"({"live":true,"ready":false})");
  expect(admin("/v2/health/ready"), 503, R"({"live":true,"ready":false})");
  EXPECT_EQ(data(Method::get, "/v2/models/m/ready").status, 503);
  EXPECT_EQ(admin("/v2/health/live").status, 200);
}

TEST_F(PlanesTest, ServerAndModels) {
  EXPECT_THAT(data(Method::get, "/v2").body,
              AllOf(HasSubstr(R"("name":"headrace")"), HasSubstr(R"("version":"1.2.3")")));
  expect(data(Method::get, "/v2/models"), 200, R"({"models":["m"]})");
  for (const std::string_view target : {"/v2/models/m", "/v2/models/m/versions/1"}) {
    const auto reply = data(Method::get, target);
    EXPECT_EQ(reply.status, 200);
    EXPECT_THAT(reply.body, AllOf(HasSubstr(R"("platform":"headrace")"), HasSubstr(R"("versions":["1"])"),
                                  HasSubstr(R"({"name":"x","datatype":"FP32","shape":[-1,4]})")));
  }
  EXPECT_THAT(data(Method::get, "/v2/models/m/config").body, HasSubstr(R"("max_batch_size":64)"));
}

TEST_F(PlanesTest, UnknownModelsVersionsAndBrokenOnes) {
  for (const std::string_view rest : {"", "/ready", "/config", "/stats"}) {
    const std::string tail(rest);
    expect(data(Method::get, "/v2/models/who" + tail), 404, R"({"error":"model 'who' is unknown"})");
    expect(data(Method::get, "/v2/models/m/versions/2" + tail), 404,
           R"-({"error":"model 'm': version 2 is not served (expected 1)"})-");
    const auto broken = data(Method::get, "/v2/models/broken" + tail);
    expect(broken, 503, R"({"error":"model 'broken' is not ready: broken/model.yaml: steps: expected a list, got 3"})");
    EXPECT_TRUE(broken.retry_after_s);
  }
}

TEST_F(PlanesTest, Statistics) {
  const std::string of_one = data(Method::get, "/v2/models/m/stats").body;
  EXPECT_EQ(of_one, data(Method::get, "/v2/models/stats").body) << "there is one model";
  EXPECT_THAT(of_one, StartsWith(R"({"model_stats":[{"name":"m","version":"1")"));
  telemetry::Timeline timeline;
  timeline.begin(telemetry::Clock::now());
  rig.model->metrics.record_batch(3);
  rig.model->metrics.record({.timeline = &timeline, .http_status = 200, .rejection = {}, .rows = 3});
  EXPECT_THAT(data(Method::get, "/v2/models/m/stats").body,
              AllOf(HasSubstr(R"("inference_count":3)"), HasSubstr(R"("execution_count":1)"),
                    HasSubstr(R"("success":{"count":1)")));
}

TEST_F(PlanesTest, RepositoryIndex) {
  constexpr std::string_view all =
      R"([{"name":"broken","state":"UNAVAILABLE","reason":"broken/model.yaml: steps: expected a list, got 3"},)"
      R"({"name":"m","version":"1","state":"READY"}])";
  expect(data(Method::post, "/v2/repository/index"), 200, all);
  expect(data(Method::post, "/v2/repository/index", "{}"), 200, all);
  expect(data(Method::post, "/v2/repository/index", R"({"ready":false})"), 200, all);
  expect(data(Method::post, "/v2/repository/index", R"({"ready":true})"), 200,
         R"([{"name":"m","version":"1","state":"READY"}])");
  EXPECT_EQ(data(Method::post, "/v2/repository/index", R"({"ready":1})").status, 400);
  EXPECT_EQ(data(Method::post, "/v2/repository/index", "[").status, 400);
}

TEST_F(PlanesTest, LoadingIsSwitchedOff) {
  for (const std::string_view verb : {"load", "unload"}) {
    expect(data(Method::post, "/v2/repository/models/m/" + std::string(verb)), 403,
           R"({"error":"loading and unloading models over HTTP is not available"})");
  }
}

TEST_F(PlanesTest, WhatIsNoRouteIsNotFound) {
  expect(data(Method::get, "/nowhere"), 404, R"({"error":"Not Found"})");
  expect(admin("/nowhere"), 404, R"({"error":"Not Found"})");
}

TEST_F(PlanesTest, MetricsAndDescriptionOnTheAdminPlane) {
  const auto metrics = admin("/metrics");
  EXPECT_EQ(metrics.status, 200);
  EXPECT_EQ(metrics.content_type, metrics_type);
  EXPECT_THAT(metrics.body, HasSubstr("headrace_stage_duration_seconds"));
  const auto description = admin("/openapi.json");
  EXPECT_EQ(description.content_type, json_type);
  EXPECT_THAT(description.body, AllOf(StartsWith("{"), HasSubstr("\"openapi\""), HasSubstr("/v2/health/ready")));
}

TEST_F(PlanesTest, OnlyTheDataPlaneClosesWhileDraining) {
  EXPECT_FALSE(data_plane.closing());
  lifecycle.closing = true;
  EXPECT_TRUE(data_plane.closing());
  EXPECT_FALSE(admin_plane.closing());
  EXPECT_EQ(data_plane.front_door(), rig.door.get());
  EXPECT_EQ(admin_plane.front_door(), nullptr);
}

TEST_F(PlanesTest, WhatReachedNoModelIsCounted) {
  data_plane.record(404);
  EXPECT_THAT(admin("/metrics").body, HasSubstr(R"(headrace_requests_total{model="",code="404"} 1)"));
}

}  // namespace
}  // namespace headrace::http
