#include "service/http/head_parser.hpp"

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <vector>

namespace headrace::http {
namespace {

using Status = HeadParser::Status;
using testing::HasSubstr;

constexpr std::uint64_t body_max = 1'000'000;

/// Everything that a parse leaves, copied out.
struct Outcome {
  Status status = Status::need_more;
  std::size_t consumed = 0;
  RequestHead head;
  std::string target, json_length, encoding, method;
  std::optional<proto::ErrorCode> code;
  std::string message;

  friend bool operator==(const Outcome& a, const Outcome& b) {
    const auto facts = [](const Outcome& o) {
      return std::tuple(o.status, o.consumed, o.head.method, o.head.content_length, o.head.chunked, o.head.keep_alive,
                        o.head.expect_continue, o.target, o.json_length, o.encoding, o.method, o.code, o.message);
    };
    return facts(a) == facts(b);
  }
};

Outcome outcome_of(const HeadParser& parser, Status status, std::size_t consumed) {
  Outcome outcome;
  outcome.status = status;
  outcome.consumed = status == Status::done ? consumed : 0;
  if (status == Status::done) {
    outcome.head = parser.head();
    outcome.method = parser.head().method_text;
    outcome.target = parser.head().target;
    outcome.json_length = parser.head().json_length.value_or("absent");
    outcome.encoding = parser.head().content_encoding;
  }
  if (status == Status::failed) {
    outcome.code = parser.error().code;
    outcome.message = parser.error().message;
  }
  return outcome;
}

Outcome parse(std::string_view text) {
  HeadParser parser;
  parser.reset(body_max);
  std::size_t consumed = 0;
  const auto status = parser.put({text.data(), text.size()}, consumed);
  return outcome_of(parser, status, consumed);
}

/// As a slow client sends it: the parser sees all that came so far, `step` bytes more each time.
Outcome parse_in_pieces(std::string_view text, std::size_t step) {
  HeadParser parser;
  parser.reset(body_max);
  for (std::size_t have = std::min(step, text.size());; have = std::min(have + step, text.size())) {
    std::size_t consumed = 0;
    // A buffer of its own each time, as one that grew may have moved.
    const std::string copy(text.substr(0, have));
    const auto status = parser.put({copy.data(), copy.size()}, consumed);
    if (status != Status::need_more || have == text.size()) return outcome_of(parser, status, consumed);
    EXPECT_EQ(consumed, 0u) << "nothing is consumed before the head is whole";
  }
}

std::string with(std::string_view fields, std::string_view start = "POST /v2/models/m/infer HTTP/1.1") {
  return std::string(start) + "\r\nHost: h\r\n" + std::string(fields) + "\r\n";
}

std::string refusal(std::string_view text) {
  const auto outcome = parse(text);
  EXPECT_EQ(outcome.status, Status::failed) << text;
  EXPECT_EQ(outcome.code, proto::ErrorCode::invalid_argument) << text;
  return outcome.message;
}

TEST(HeadParser, TellsWhatTheServiceNeeds) {
  const std::string text = with(
      "Content-Length: 42\r\ninference-HEADER-content-length: 17\r\nContent-Encoding: gzip\r\nExpect: 100-Continue\r\n",
      "POST /v2/models/m/infer?a=b HTTP/1.1");
  const auto outcome = parse(text);
  ASSERT_EQ(outcome.status, Status::done) << outcome.message;
  EXPECT_EQ(outcome.consumed, text.size());
  EXPECT_EQ(outcome.head.method, Method::post);
  EXPECT_EQ(outcome.method, "POST");
  EXPECT_EQ(outcome.target, "/v2/models/m/infer?a=b");
  EXPECT_EQ(outcome.head.content_length, 42u);
  EXPECT_EQ(outcome.json_length, "17");
  EXPECT_EQ(outcome.encoding, "gzip");
  EXPECT_TRUE(outcome.head.expect_continue);
  EXPECT_TRUE(outcome.head.keep_alive);
  EXPECT_FALSE(outcome.head.chunked);
}

TEST(HeadParser, WhatIsAbsentIsTold) {
  const auto outcome = parse(with("", "GET /v2 HTTP/1.1"));
  ASSERT_EQ(outcome.status, Status::done);
  EXPECT_EQ(outcome.head.method, Method::get);
  EXPECT_FALSE(outcome.head.content_length);
  EXPECT_EQ(outcome.json_length, "absent");
  EXPECT_EQ(outcome.encoding, "");
  EXPECT_FALSE(outcome.head.expect_continue);
}

TEST(HeadParser, HeadIsGetThatKeepsItsName) {
  const auto outcome = parse(with("", "HEAD /v2 HTTP/1.1"));
  EXPECT_EQ(outcome.head.method, Method::get);
  EXPECT_EQ(outcome.method, "HEAD");
}

TEST(HeadParser, ContentEncodingIsReadInAnyCaseAndOnce) {
  EXPECT_EQ(parse(with("Content-Encoding: Identity\r\n")).encoding, "");
  EXPECT_EQ(parse(with("Content-Encoding: identity\r\nContent-Encoding: gzip\r\n")).status, Status::failed);
}

TEST(HeadParser, MethodsOtherThanGetAndPostKeepTheirName) {
  for (const std::string method : {"PUT", "DELETE", "OPTIONS", "BREW"}) {
    const auto outcome = parse(with("", method + " /v2 HTTP/1.1"));
    ASSERT_EQ(outcome.status, Status::done) << method;
    EXPECT_EQ(outcome.head.method, Method::other) << method;
    EXPECT_EQ(outcome.method, method);
  }
}

TEST(HeadParser, KeepAliveFollowsVersionAndConnection) {
  EXPECT_TRUE(parse(with("")).head.keep_alive);
  EXPECT_FALSE(parse(with("Connection: close\r\n")).head.keep_alive);
  EXPECT_FALSE(parse("GET / HTTP/1.0\r\n\r\n").head.keep_alive);
  // Such a client waits for a header that says so, which our answers do not carry.
  EXPECT_FALSE(parse("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").head.keep_alive);
}

TEST(HeadParser, ChunkedIsTold) {
  const auto outcome = parse(with("Transfer-Encoding: Chunked\r\n"));
  ASSERT_EQ(outcome.status, Status::done) << outcome.message;
  EXPECT_TRUE(outcome.head.chunked);
  EXPECT_FALSE(outcome.head.content_length);
}

TEST(HeadParser, HostIsNeededOnceSinceHttp11) {
  EXPECT_EQ(refusal("GET / HTTP/1.1\r\n\r\n"), "header Host: expected in every HTTP/1.1 request, it is missing");
  EXPECT_EQ(refusal(with("Host: other\r\n")), "header Host: expected once, got it several times");
  EXPECT_EQ(parse("GET / HTTP/1.0\r\n\r\n").status, Status::done);
}

TEST(HeadParser, FoldedLinesAreRefused) {
  for (const char* const fold : {"\r\n continued", "\r\n\tcontinued"}) {
    EXPECT_EQ(refusal(with(std::string("X-Long: begun") + fold + "\r\n")),
              "request head: folded header lines are not accepted");
  }
}

TEST(HeadParser, TheEndOfABodyIsNeverAGuess) {
  // Two lengths that disagree, or a length beside chunks, in any order and spelling.
  for (const char* const fields :
       {"Content-Length: 5\r\nContent-Length: 6\r\n", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "Transfer-Encoding: gzip\r\nContent-Length: 5\r\n",
        "Content-Length: 5, 6\r\n", "Content-Length: -5\r\n", "Content-Length: +5\r\n", "Content-Length: 0x5\r\n",
        "Content-Length: 5x\r\n", "Content-Length:\r\n", "Content-Length: 99999999999999999999999\r\n",
        "Content-Length : 5\r\n"}) {
    EXPECT_THAT(refusal(with(fields)), testing::StartsWith("")) << fields;
  }
  EXPECT_THAT(refusal(with("Content-Length: 5\r\nContent-Length: 6\r\n")), HasSubstr("Content-Length"));
  EXPECT_THAT(refusal(with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")), HasSubstr("Transfer-Encoding"));
}

TEST(HeadParser, OnlyChunkedAloneIsATransferCoding) {
  for (const char* const fields :
       {"Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: gzip\r\n", "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: chunked, gzip\r\n", "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n", "Transfer-Encoding: xchunked\r\n"}) {
    EXPECT_THAT(refusal(with(fields)), HasSubstr("Transfer-Encoding")) << fields;
  }
  EXPECT_EQ(refusal(with("Transfer-Encoding: gzip, chunked\r\n")),
            "header Transfer-Encoding: expected chunked alone, got other codings");
}

TEST(HeadParser, TheJsonLengthComesOnce) {
  EXPECT_EQ(refusal(with("Inference-Header-Content-Length: 5\r\nInference-Header-Content-Length: 6\r\n")),
            "header Inference-Header-Content-Length: expected once, got it several times");
}

TEST(HeadParser, AnotherExpectationIsRefused) {
  EXPECT_EQ(refusal(with("Expect: a miracle\r\n")), "header Expect: expected 100-continue, got another value");
}

TEST(HeadParser, WhatIsNotHttp1IsRefused) {
  for (const std::string_view text :
       {"GET / HTTP/2.0\r\nHost: h\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.2\r\nHost: h\r\n\r\n",
        "GET / HTTQ/1.1\r\nHost: h\r\n\r\n", "GET  / HTTP/1.1\r\nHost: h\r\n\r\n", "GET / \r\nHost: h\r\n\r\n",
        "\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\nHost: h\n\n",
        "GET / HTTP/1.1\r\nHost: h\nX: y\r\n\r\n", "GET / HTTP/1.1\r\nHost h\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nX Y: z\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nX: a\x01z\r\n\r\n",
        "\x16\x03\x01\x02\x00 hello, this is TLS\r\n\r\n"}) {
    EXPECT_NE(refusal(text), "") << text;
  }
}

TEST(HeadParser, AHeadHasAtMostSoManyBytes) {
  const std::string frame = with("X: \r\n");
  const std::string fits = with("X: " + std::string(head_bytes_max - frame.size(), 'x') + "\r\n");
  ASSERT_EQ(fits.size(), head_bytes_max);
  EXPECT_EQ(parse(fits).status, Status::done) << parse(fits).message;
  const std::string too_large = with("X: " + std::string(head_bytes_max - frame.size() + 1, 'x') + "\r\n");
  for (const auto& text : {too_large, too_large + too_large, too_large.substr(0, head_bytes_max),
                           std::string(head_bytes_max, 'G'), "GET /" + std::string(head_bytes_max, 'p')}) {
    const auto outcome = parse(text);
    EXPECT_EQ(outcome.status, Status::failed);
  }
  const auto outcome = parse(too_large);
  EXPECT_EQ(outcome.code, proto::ErrorCode::header_too_large);
  EXPECT_EQ(outcome.message, "request head: expected at most 16384 bytes");
  // In pieces, as the session's buffer brings it: full at the limit.
  EXPECT_EQ(parse_in_pieces(std::string_view(too_large).substr(0, head_bytes_max), 4096).code,
            proto::ErrorCode::header_too_large);
  EXPECT_EQ(parse_in_pieces(fits, 1000).status, Status::done);
}

TEST(HeadParser, ABodyOverTheLimitIsRefusedByItsLength) {
  EXPECT_EQ(parse(with("Content-Length: 1000000\r\n")).status, Status::done);
  const auto outcome = parse(with("Content-Length: 1000001\r\n"));
  EXPECT_EQ(outcome.status, Status::failed);
  EXPECT_EQ(outcome.code, proto::ErrorCode::payload_too_large);
  EXPECT_EQ(outcome.message, "body: expected at most 1000000 bytes, Content-Length announces more");
}

TEST(HeadParser, PiecesOfAnySizeGiveTheSameResult) {
  const std::string heads[] = {
      with("Content-Length: 5\r\nInference-Header-Content-Length: 3\r\n"),
      with("", "GET /v2/health/live HTTP/1.1"),
      with("Transfer-Encoding: chunked\r\n"),
      "GET / HTTP/1.0\r\n\r\n",
      "GET / HTTP/1.1\r\n\r\n",
      with("X: a\r\n b\r\n"),
      with("Content-Length: 5\r\nContent-Length: 6\r\n"),
      with("Content-Length: 1000001\r\n"),
      with("Expect: 100-continue\r\nContent-Length: 7\r\n"),
      with("Transfer-Encoding: gzip, chunked\r\n"),
  };
  for (const auto& text : heads) {
    const auto whole = parse(text);
    for (std::size_t step = 1; step <= text.size(); ++step) {
      EXPECT_TRUE(parse_in_pieces(text, step) == whole) << "pieces of " << step << " bytes of\n" << text;
    }
  }
}

TEST(HeadParser, WhatFollowsTheHeadIsNotConsumed) {
  const std::string first = with("Content-Length: 5\r\n");
  for (const std::string_view behind : {"hello", "helloGET / HTTP/1.1\r\nHost: h\r\n\r\n", "\r\n\r\n"}) {
    const auto outcome = parse(first + std::string(behind));
    EXPECT_EQ(outcome.status, Status::done);
    EXPECT_EQ(outcome.consumed, first.size());
  }
}

TEST(HeadParser, ServesOneHeadAfterTheOther) {
  const std::string first = with("Content-Length: 5\r\nContent-Encoding: gzip\r\nExpect: 100-continue\r\n");
  const std::string second = with("", "GET /v2 HTTP/1.1");
  const std::string stream = first + second + "GET / HTTP/1.1\r\n\r\n" + second;
  HeadParser parser;
  std::string_view rest = stream;
  const auto next = [&] {
    parser.reset(body_max);
    std::size_t consumed = 0;
    const auto status = parser.put({rest.data(), rest.size()}, consumed);
    rest.remove_prefix(consumed);
    return status;
  };
  ASSERT_EQ(next(), Status::done);
  EXPECT_EQ(parser.head().content_length, 5u);
  ASSERT_EQ(next(), Status::done);
  EXPECT_EQ(parser.head().target, "/v2");
  EXPECT_FALSE(parser.head().content_length) << "nothing is left of the head before";
  EXPECT_FALSE(parser.head().expect_continue);
  EXPECT_EQ(parser.head().content_encoding, "");
  ASSERT_EQ(next(), Status::failed);
}

TEST(HeadParser, NothingIsNotAHead) {
  EXPECT_EQ(parse("").status, Status::need_more);
  EXPECT_EQ(parse("GET / HTTP/1.1\r\nHost: h\r\n").status, Status::need_more);
  EXPECT_EQ(parse("GET / HTTP/1.1\r\nHost: h\r\n\r").status, Status::need_more);
}

}  // namespace
}  // namespace headrace::http
