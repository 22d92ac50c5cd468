#include "load/answer_reader.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headrace::load {
namespace {

using State = AnswerReader::State;

struct Outcome {
  State state = State::more;
  Answer answer;
  std::string body;
  std::string fault;
};

/// Feeds `text` in pieces that end at `cuts`, as a socket would.
Outcome read_in_pieces(std::string_view text, std::initializer_list<std::size_t> cuts, bool then_ends = false) {
  std::string buffer(text.size() + 1, '\0');
  std::size_t held = 0;
  std::size_t fed = 0;
  AnswerReader reader;
  State state = State::more;
  const auto feed = [&](std::size_t until) {
    std::copy(text.begin() + static_cast<std::ptrdiff_t>(fed), text.begin() + static_cast<std::ptrdiff_t>(until),
              buffer.begin() + static_cast<std::ptrdiff_t>(held));
    held += until - fed;
    fed = until;
    state = reader.advance(buffer.data(), held);
  };
  for (const std::size_t cut : cuts) {
    if (state == State::more && cut > fed) feed(cut);
  }
  if (state == State::more) feed(text.size());
  if (state == State::more && then_ends) state = reader.finish();
  const Answer& answer = reader.answer();
  return {state, answer, state == State::done ? buffer.substr(answer.body_offset, answer.body_bytes) : std::string(),
          std::string(reader.fault())};
}

void expect_body_at_every_cut(std::string_view text, std::string_view body, bool then_ends = false) {
  for (std::size_t a = 1; a < text.size(); ++a) {
    for (std::size_t b = a; b < text.size(); b += 3) {
      const Outcome outcome = read_in_pieces(text, {a, b}, then_ends);
      ASSERT_EQ(outcome.state, State::done) << a << ' ' << b << ' ' << outcome.fault;
      ASSERT_EQ(outcome.body, body) << a << ' ' << b;
    }
  }
}

TEST(AnswerReader, ReadsContentLengthAtEveryCut) {
  constexpr std::string_view text =
      "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\ncontent-length: 5\r\n"
      "INFERENCE-Header-Content-Length:  3 \r\n\r\nhello";
  expect_body_at_every_cut(text, "hello");
  const Outcome outcome = read_in_pieces(text, {});
  EXPECT_EQ(outcome.answer.status, 200U);
  EXPECT_EQ(outcome.answer.json_bytes, 3U);
  EXPECT_TRUE(outcome.answer.keep_alive);
}

TEST(AnswerReader, JoinsChunksAtEveryCut) {
  expect_body_at_every_cut(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n1\r\nh\r\n3;ext=\"1\"\r\nell\r\nA \r\no, 9 "
      "bytes\r\n0\r\nTrailer: x\r\n\r\n",
      "hello, 9 bytes");
}

TEST(AnswerReader, ManySmallChunksNeedNoMoreRoomThanTheirBody) {
  AnswerReader reader;
  std::string buffer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  std::size_t held = buffer.size();
  const std::size_t head = held;
  buffer.resize(head + 1100);
  State state = reader.advance(buffer.data(), held);
  for (int i = 0; i < 1000; ++i) {
    constexpr std::string_view chunk = "1\r\nx\r\n";
    ASSERT_LE(held + chunk.size(), buffer.size());
    chunk.copy(buffer.data() + held, chunk.size());
    held += chunk.size();
    state = reader.advance(buffer.data(), held);
    ASSERT_EQ(state, State::more);
  }
  EXPECT_EQ(held, head + 1000);
}

TEST(AnswerReader, ABodyWithoutLengthEndsWithTheConnection) {
  constexpr std::string_view text = "HTTP/1.0 200 OK\r\n\r\nrest";
  expect_body_at_every_cut(text, "rest", true);
  EXPECT_FALSE(read_in_pieces(text, {}, true).answer.keep_alive);
}

TEST(AnswerReader, SkipsInterimAnswers) {
  expect_body_at_every_cut(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 P\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
      "ok");
}

TEST(AnswerReader, KeepAliveFollowsVersionAndHeader) {
  const auto keeps = [](std::string_view head) {
    return read_in_pieces(std::string(head) + "Content-Length: 0\r\n\r\n", {}).answer.keep_alive;
  };
  EXPECT_TRUE(keeps("HTTP/1.1 200 OK\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.1 200 OK\r\nConnection: Close\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.0 200 OK\r\n"));
  EXPECT_TRUE(keeps("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n"));
}

TEST(AnswerReader, SomeAnswersHaveNoBody) {
  EXPECT_EQ(read_in_pieces("HTTP/1.1 204 No Content\r\n\r\n", {}).state, State::done);
  EXPECT_EQ(read_in_pieces("HTTP/1.1 304\r\nContent-Length: 7\r\n\r\n", {}).state, State::done);
}

TEST(AnswerReader, TellsTheRoomItNeeds) {
  std::string text = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nx";
  AnswerReader reader;
  std::size_t held = text.size();
  EXPECT_EQ(reader.bytes_wanted(), 0U);
  EXPECT_EQ(reader.advance(text.data(), held), State::more);
  EXPECT_EQ(reader.bytes_wanted(), text.size() - 1 + 100000);
}

TEST(AnswerReader, RefusesWhatIsNotAnAnswer) {
  for (const char* text : {
           "garbage",
           "\r\n",
           "HTTP/2 200 OK\r\n\r\n",
           "HTTP/1.1\r\n\r\n",
           "HTTP/1.1 20 OK\r\n\r\n",
           "HTTP/1.1 2000 OK\r\n\r\n",
           "HTTP/1.1 abc\r\n\r\n",
           "HTTP/1.1 099 x\r\n\r\n",
           "HTTP/1.1 101 Switching Protocols\r\n\r\n",
           "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
           "HTTP/1.1 200 OK\r\n: no name\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 2000000000\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\na\r\n",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\na",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nx",
       }) {
    const Outcome outcome = read_in_pieces(text, {});
    EXPECT_EQ(outcome.state, State::bad) << text;
    EXPECT_FALSE(outcome.fault.empty()) << text;
  }
}

TEST(AnswerReader, AnEndWithinTheAnswerIsBad) {
  for (const char* text : {"HTT", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"}) {
    EXPECT_EQ(read_in_pieces(text, {}, true).state, State::bad) << text;
  }
}

TEST(AnswerReader, AHeadWithoutEndIsBounded) {
  const std::string text = "HTTP/1.1 200 OK\r\nA: " + std::string(head_bytes_max, 'b');
  EXPECT_EQ(read_in_pieces(text, {100, 5000}).state, State::bad);
}

TEST(AnswerReader, ResetStartsOver) {
  AnswerReader reader;
  std::string bad = "nonsense";
  std::size_t held = bad.size();
  EXPECT_EQ(reader.advance(bad.data(), held), State::bad);
  reader.reset();
  std::string good = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  held = good.size();
  EXPECT_EQ(reader.advance(good.data(), held), State::done);
  EXPECT_TRUE(reader.fault().empty());
}

}  // namespace
}  // namespace headrace::load
