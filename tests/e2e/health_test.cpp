// Health, metadata, configuration, statistics, and connections that are used more than once.

#include <gtest/gtest.h>

#include "tests/support/http_client.hpp"
#include "tests/support/infer_text.hpp"
#include "tests/support/service.hpp"

namespace headrace {
namespace {

class Health : public testing::Test {
 protected:
  support::Service service_{support::shipped_models()};
  support::HttpClient client_{service_.address()};
};

TEST_F(Health, live_and_ready_on_both_ports) {
  support::HttpClient admin(service_.admin_address());
  for (auto* const client : {&client_, &admin}) {
    EXPECT_EQ(client->get("/v2/health/live").body, R"({"live":true})");
    EXPECT_EQ(client->get("/v2/health/ready").body, R"({"live":true,"ready":true})");
  }
  EXPECT_EQ(client_.get("/v2/models/digits/ready").body, R"({"name":"digits","ready":true})");
}

TEST_F(Health, metadata_and_configuration_agree_on_the_batch_dimension) {
  const auto metadata = client_.get("/v2/models/digits").body;
  EXPECT_NE(metadata.find(R"("shape":[-1,64])"), std::string::npos) << metadata;
  const auto config = client_.get("/v2/models/digits/config").body;
  EXPECT_NE(config.find(R"("max_batch_size":4096)"), std::string::npos) << config;
  EXPECT_NE(config.find(R"("dims":[64])"), std::string::npos) << config;
}

TEST_F(Health, statistics_count_requests_rows_and_executions) {
  const std::vector<float> rows(64 * 3, 1.0F);
  client_.send(support::binary_infer_text({}, rows));
  ASSERT_EQ(client_.receive().value_or(support::HttpAnswer{}).status, 200);
  // The answer is written before it is counted.
  ASSERT_TRUE(service_.wait_for_metric("headrace_requests_total{model=\"digits\",code=\"200\"}", 1));
  const auto stats = client_.get("/v2/models/digits/stats").body;
  EXPECT_NE(stats.find(R"("inference_count":3)"), std::string::npos) << stats;
  EXPECT_NE(stats.find(R"("execution_count":1)"), std::string::npos) << stats;
}

TEST_F(Health, pipelined_requests_are_answered_in_order) {
  std::string burst;
  for (const auto* const id : {"one", "two", "three"}) {
    burst += support::binary_infer_text({.id = id}, std::vector<float>(64, 1.0F));
  }
  client_.send(burst + "GET /v2/health/live HTTP/1.1\r\nHost: t\r\n\r\n");
  for (const auto* const id : {"one", "two", "three"}) {
    EXPECT_EQ(support::answered_id(client_.receive().value_or(support::HttpAnswer{})), id);
  }
  EXPECT_EQ(client_.receive().value_or(support::HttpAnswer{}).body, R"({"live":true})");
}

TEST_F(Health, a_body_whose_head_came_with_the_request_before_is_read_whole) {
  const std::vector<float> rows(64 * 40, 1.0F);  // more than the receive buffer holds
  const auto first = support::binary_infer_text({.id = "first"}, std::vector<float>(64, 1.0F));
  const auto second = support::binary_infer_text({.id = "second"}, rows);
  const auto body = second.find("\r\n\r\n") + 4;
  client_.send(first + second.substr(0, body));
  const auto want = support::answered_floats(client_.receive().value_or(support::HttpAnswer{}));
  ASSERT_EQ(want.size(), 10U);
  client_.send(second.substr(body));
  const auto answer = client_.receive().value_or(support::HttpAnswer{});
  EXPECT_EQ(support::answered_id(answer), "second");
  const auto got = support::answered_floats(answer);
  ASSERT_EQ(got.size(), 400U);
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], want[i % 10], 1e-5F);
  EXPECT_EQ(client_.get("/v2/health/live").status, 200);
}

TEST_F(Health, zero_rows_are_answered_without_the_device) {
  client_.send(support::binary_infer_text({}, {}));
  const auto answer = client_.receive().value_or(support::HttpAnswer{});
  EXPECT_EQ(answer.status, 200);
  EXPECT_NE(answer.body.find(R"("shape":[0,10])"), std::string::npos) << answer.body;
}

TEST_F(Health, http_1_0_and_connection_close_are_honoured) {
  client_.send("GET /v2/health/live HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(client_.receive().value_or(support::HttpAnswer{}).header("connection"), "close");
  EXPECT_TRUE(client_.closed_by_peer());
  support::HttpClient old(service_.address());
  old.send("GET /v2/health/live HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.receive().value_or(support::HttpAnswer{}).status, 200);
  EXPECT_TRUE(old.closed_by_peer());
}

TEST_F(Health, the_admin_port_serves_the_api_description) {
  support::HttpClient admin(service_.admin_address());
  const auto answer = admin.get("/openapi.json");
  EXPECT_EQ(answer.status, 200);
  EXPECT_NE(answer.body.find("\"/v2/models/{model}/infer\""), std::string::npos);
}

}  // namespace
}  // namespace headrace
