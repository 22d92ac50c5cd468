#include "service/http/reply.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace headrace::http {
namespace {

constexpr std::string_view date = "Sun, 06 Nov 1994 08:49:37 GMT";

std::string head_text(const ResponseHead& head, std::string_view when = date) {
  char out[response_head_bytes_max];
  return {out, write_response_head(head, when, out)};
}

TEST(Reply, ASuccessfulHeadByteForByte) {
  EXPECT_EQ(head_text({.content_length = 2}),
            "HTTP/1.1 200 OK\r\n"
            "Server: headrace\r\n"
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            "Content-Type: application/json\r\n"
            "Content-Length: 2\r\n"
            "\r\n");
}

TEST(Reply, ABinaryAnswerTellsWhereItsJsonEnds) {
  EXPECT_EQ(head_text({.content_type = binary_type, .content_length = 4294967296, .json_length = 123}),
            "HTTP/1.1 200 OK\r\n"
            "Server: headrace\r\n"
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            "Content-Type: application/octet-stream\r\n"
            "Content-Length: 4294967296\r\n"
            "Inference-Header-Content-Length: 123\r\n"
            "\r\n");
}

TEST(Reply, EveryFieldInItsPlace) {
  EXPECT_EQ(head_text({.status = 405, .content_length = 0, .allow = "GET", .retry_after_s = 7, .close = true}),
            "HTTP/1.1 405 Method Not Allowed\r\n"
            "Server: headrace\r\n"
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            "Content-Type: application/json\r\n"
            "Content-Length: 0\r\n"
            "Allow: GET\r\n"
            "Retry-After: 7\r\n"
            "Connection: close\r\n"
            "\r\n");
}

TEST(Reply, TheLongestHeadFits) {
  const auto text = head_text({.status = 431,
                               .content_type = metrics_type,
                               .content_length = UINT64_MAX,
                               .json_length = SIZE_MAX,
                               .allow = "GET, POST",
                               .retry_after_s = UINT32_MAX,
                               .close = true});
  EXPECT_LE(text.size(), response_head_bytes_max);
}

TEST(Reply, EveryErrorHasAStatusLineAndAJsonBody) {
  for (const auto& row : proto::error_table()) {
    const auto reply = error_reply({row.code, "field: expected \"a\", got b"});
    EXPECT_EQ(reply.status, row.http_status) << row.name;
    EXPECT_EQ(reply.content_type, "application/json") << row.name;
    EXPECT_EQ(reply.body, R"({"error":"field: expected \"a\", got b"})") << row.name;
    EXPECT_EQ(reply.error_name, row.name);
    EXPECT_EQ(reply.retry_after_s.has_value(), row.retryable) << row.name;
    EXPECT_NE(reason_phrase(row.http_status), "Unknown") << row.http_status;
    EXPECT_NE(reason_phrase(row.http_status), "") << row.http_status;
  }
  EXPECT_EQ(reason_phrase(299), "Unknown");
}

TEST(Reply, TheDateIsAnHttpDateInGmt) {
  DateText text;
  const auto before = std::time(nullptr);
  const std::string shown(text.now());
  const auto after = std::time(nullptr);
  ASSERT_EQ(shown.size(), date.size());
  std::tm parts{};
  const char* const end = strptime(shown.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  ASSERT_TRUE(end != nullptr && *end == '\0') << shown;
  const auto told = timegm(&parts);
  EXPECT_TRUE(before <= told && told <= after) << shown;
  EXPECT_EQ(std::string(text.now()).size(), shown.size());
}

}  // namespace
}  // namespace headrace::http
