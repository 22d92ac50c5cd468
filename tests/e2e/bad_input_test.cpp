// Hostile and mistaken input: a 4xx as JSON that names what is wrong, and the service goes on with nothing leaked.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/support/http_client.hpp"
#include "tests/support/infer_text.hpp"
#include "tests/support/service.hpp"

namespace headrace {
namespace {

struct BadInput {
  const char* name;
  std::string text;  // what is sent
  int status;
  const char* names;  // what the error must name
};

std::string infer(std::string_view body, std::string_view headers = {}) {
  return support::post_text("/v2/models/digits/infer", body, headers);
}

std::string one_input(std::string_view members) { return fmt::format(R"({{"inputs":[{{{}}}]}})", members); }

std::vector<BadInput> bad_inputs() {
  std::string data = "0";
  for (int i = 1; i < 64; ++i) data += ",0";
  const auto good = fmt::format(R"("name":"image","datatype":"FP32","shape":[1,64],"data":[{}])", data);
  return {
      {"malformed_json", infer("{\"inputs\":["), 400, "error"},
      {"not_an_object", infer("[1,2,3]"), 400, "error"},
      {"empty_body", infer(""), 400, "error"},
      {"no_inputs", infer("{}"), 400, "inputs"},
      {"wrong_datatype", infer(one_input(R"("name":"image","datatype":"INT64","shape":[1,1],"data":[1])")), 400,
       "image"},
      {"unknown_datatype", infer(one_input(R"("name":"image","datatype":"FP31","shape":[1,64],"data":[1])")), 400,
       "FP31"},
      {"wrong_shape", infer(one_input(R"("name":"image","datatype":"FP32","shape":[1,63],"data":[1])")), 400, "image"},
      {"too_few_elements", infer(one_input(R"("name":"image","datatype":"FP32","shape":[1,64],"data":[1,2])")), 400,
       "64"},
      {"rows_without_data", infer(one_input(R"("name":"image","datatype":"FP32","shape":[4000,64],"data":[1])")), 400,
       "image"},
      {"unknown_input", infer(one_input(R"("name":"picture","datatype":"FP32","shape":[1,64],"data":[1])")), 400,
       "picture"},
      {"unknown_output", infer(fmt::format(R"({{"inputs":[{{{}}}],"outputs":[{{"name":"label"}}]}})", good)), 400,
       "label"},
      {"too_many_rows", infer(one_input(R"("name":"image","datatype":"FP32","shape":[5000,64],"data":[1])")), 400,
       "5000"},
      {"negative_shape", infer(one_input(R"("name":"image","datatype":"FP32","shape":[-1,64],"data":[1])")), 400,
       "shape"},
      {"unknown_model", support::post_text("/v2/models/nope/infer", "{}"), 404, "nope"},
      {"unknown_version", support::post_text("/v2/models/digits/versions/7/infer", "{}"), 404, "7"},
      {"unknown_path", support::post_text("/v2/nowhere", "{}"), 404, "Not Found"},
      {"trailing_slash", support::post_text("/v2/models/digits/infer/", "{}"), 404, "Not Found"},
      {"wrong_method", "GET /v2/models/digits/infer HTTP/1.1\r\nHost: t\r\n\r\n", 405, "POST"},
      {"json_length_not_a_number", infer("{}", "Inference-Header-Content-Length: two\r\n"), 400, "Inference-Header"},
      {"json_length_negative", infer("{}", "Inference-Header-Content-Length: -1\r\n"), 400, "Inference-Header"},
      {"json_length_beyond_the_body", infer("{}", "Inference-Header-Content-Length: 3\r\n"), 400, "Inference-Header"},
      {"json_length_huge", infer("{}", "Inference-Header-Content-Length: 99999999999999999999999\r\n"), 400,
       "Inference-Header"},
      {"deep_brackets", infer(std::string(100'000, '[')), 400, "error"},
      {"deep_data",
       infer(one_input(R"("name":"image","datatype":"FP32","shape":[1,64],"data":)" + std::string(100'000, '['))), 400,
       "error"},
      {"body_too_large", "POST /v2/models/digits/infer HTTP/1.1\r\nHost: t\r\nContent-Length: 5000000000\r\n\r\n", 413,
       "body"},
      {"two_lengths", "POST /v2 HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400, "head"},
      {"no_host", "GET /v2 HTTP/1.1\r\n\r\n", 400, "Host"},
      {"not_http", "hello, is anybody there?\r\n\r\n", 400, "head"},
      {"header_line_of_a_megabyte", "GET /v2 HTTP/1.1\r\nHost: t\r\nX: " + std::string(1 << 20, 'x') + "\r\n\r\n", 431,
       "head"},
      {"compressed", infer("{}", "Content-Encoding: br\r\n"), 415, "br"},
      {"control_characters", infer(std::string("{\"inputs\":\x01\x02}", 13)), 400, "error"},
  };
}

TEST(BadInput, is_answered_4xx_as_json_and_nothing_leaks) {
  support::Service service(support::shipped_models());
  const std::vector<float> row(64, 1.0F);
  for (const auto& bad : bad_inputs()) {
    SCOPED_TRACE(bad.name);
    support::HttpClient client(service.address());
    client.send(bad.text);
    const auto answer = client.receive().value_or(support::HttpAnswer{});
    EXPECT_EQ(answer.status, bad.status);
    EXPECT_EQ(answer.header("content-type"), "application/json");
    EXPECT_TRUE(answer.body.starts_with("{\"error\":\"")) << answer.body;
    EXPECT_NE(answer.body.find(bad.names), std::string::npos) << answer.body;

    support::HttpClient next(service.address());
    next.send(support::binary_infer_text({}, row));
    EXPECT_EQ(next.receive().value_or(support::HttpAnswer{}).status, 200);
  }
  EXPECT_TRUE(service.wait_for_metric("headrace_bytes_held", 0));
  EXPECT_TRUE(service.wait_for_metric("headrace_inflight_requests", 0));
}

TEST(BadInput, a_small_refused_body_is_drained_and_the_connection_kept) {
  support::Service service(support::shipped_models());
  support::HttpClient client(service.address());
  EXPECT_EQ(client.post("/v2/models/nope/infer", std::string(20'000, ' ')).status, 404);
  EXPECT_EQ(client.get("/v2/health/live").status, 200);
}

TEST(BadInput, a_large_refused_body_still_gets_its_answer) {
  support::Service service(support::shipped_models());
  for (int i = 0; i < 20; ++i) {
    support::HttpClient client(service.address());
    client.send(support::post_text("/v2/models/nope/infer", std::string(5'000'000, ' ')));
    EXPECT_EQ(client.receive().value_or(support::HttpAnswer{}).status, 404);
  }
}

TEST(BadInput, a_refused_expectation_spares_the_body) {
  support::Service service(support::shipped_models());
  support::HttpClient client(service.address());
  client.send("POST /v2/models/nope/infer HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n");
  EXPECT_EQ(client.receive().value_or(support::HttpAnswer{}).status, 404);
  support::HttpClient second(service.address());
  const std::vector<float> row(64, 1.0F);
  const auto text = support::binary_infer_text({}, row);
  const auto body = text.find("\r\n\r\n") + 4;
  std::string head = text.substr(0, body);
  head.insert(head.find("\r\nContent-Length") + 2, "Expect: 100-continue\r\n");
  second.send(head);
  EXPECT_EQ(second.receive().value_or(support::HttpAnswer{}).status, 100);
  second.send(text.substr(body));
  EXPECT_EQ(second.receive().value_or(support::HttpAnswer{}).status, 200);
}

TEST(BadInput, truncated_bodies_of_every_length_leak_nothing) {
  support::Service service(support::shipped_models());
  const auto text = support::binary_infer_text({.id = "abc"}, std::vector<float>(64, 1.0F));
  for (std::size_t length = 1; length < text.size(); length += 7) {
    support::HttpClient client(service.address());
    client.send(std::string_view(text).substr(0, length));
    client.close(length % 2 == 0);
  }
  EXPECT_TRUE(service.wait_for_metric("headrace_connections", 0));
  EXPECT_TRUE(service.wait_for_metric("headrace_bytes_held", 0));
}

}  // namespace
}  // namespace headrace
