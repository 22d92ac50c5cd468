#include "service/http/session.hpp"

#include <gmock/gmock.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <future>

#include "service/http/data_plane.hpp"
#include "service/http/listener.hpp"
#include "tests/service/pipeline/rig.hpp"

namespace headrace::http {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// The data plane on a real port. The test's thread runs the dispatcher while it waits for an answer.
class SessionTest : public testing::Test {
 protected:
  SessionTest() {
    lifecycle.ready = true;
    rig.device.set_auto_complete(true);
    threads.push_back(std::make_unique<IoThread>(TimeoutOptions{}));
    listener = std::make_unique<Listener>("127.0.0.1:0", threads, plane, workers, options, connections);
    threads.front()->start("test-io", std::chrono::milliseconds(50));
    listener->start();
  }
  ~SessionTest() override {
    threads.front()->stop(true);
    threads.front()->join();
    listener.reset();
    threads.clear();
  }

  /// Sends the pieces one by one, and returns all that came until the service closed.
  std::string talk(const std::vector<std::string>& pieces) {
    auto answer = std::async(std::launch::async, [&] {
      asio::io_context context;
      asio::ip::tcp::socket socket(context);
      const auto address = listener->address();
      const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
      socket.connect({asio::ip::make_address("127.0.0.1"), port});
      socket.set_option(asio::ip::tcp::no_delay(true));
      boost::system::error_code ended;
      for (const auto& piece : pieces) asio::write(socket, asio::buffer(piece), ended);
      std::string text;
      asio::read(socket, asio::dynamic_buffer(text), ended);
      EXPECT_EQ(ended, asio::error::eof) << "closed in order, not reset";
      return text;
    });
    EXPECT_TRUE(rig.run_until([&] { return answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }));
    return answer.get();
  }
  std::string talk(std::string text) { return talk(std::vector{std::move(text)}); }

  test::Rig rig;
  Lifecycle lifecycle;
  DataPlane plane{*rig.door, lifecycle, "0"};
  asio::thread_pool workers{1};
  SessionOptions options;
  pipeline::Budget connections{8};
  std::vector<std::unique_ptr<IoThread>> threads;
  std::unique_ptr<Listener> listener;
};

std::size_t answers_in(const std::string& text) {
  std::size_t answers = 0;
  for (auto at = text.find("HTTP/1.1 "); at != std::string::npos; at = text.find("HTTP/1.1 ", at + 1)) ++answers;
  return answers;
}

const std::string live_and_close = "GET /v2/health/live HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";

TEST_F(SessionTest, AHeadMayComeInPieces) {
  std::vector<std::string> bytes;
  for (const char c : live_and_close) bytes.emplace_back(1, c);
  EXPECT_THAT(talk(bytes), AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("Connection: close\r\n"),
                                 testing::EndsWith("\r\n\r\n{\"live\":true}")));
}

TEST_F(SessionTest, AnAnswerToHeadHasNoBody) {
  const auto text = talk("HEAD /v2/health/live HTTP/1.1\r\nHost: h\r\n\r\n" + live_and_close);
  EXPECT_THAT(text, StartsWith("HTTP/1.1 200 OK\r\n"));
  const auto end = text.find("\r\n\r\n");
  ASSERT_NE(end, std::string::npos);
  EXPECT_THAT(text.substr(0, end), HasSubstr("Content-Length: 13"));
  EXPECT_THAT(text.substr(end + 4), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_F(SessionTest, AChunkedBodyIsNeverTakenForTheNextRequest) {
  const std::string chunks = "\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + live_and_close;
  for (const auto& [target, status] :
       {std::pair{"POST /nowhere", "404"}, std::pair{"POST /v2", "405"}, std::pair{"POST /v2/models/m/infer", "501"}}) {
    const auto text = talk(std::string(target) + " HTTP/1.1" + chunks);
    EXPECT_THAT(text, StartsWith(std::string("HTTP/1.1 ") + status));
    EXPECT_EQ(answers_in(text), 1u) << text;
    EXPECT_THAT(text, HasSubstr("Connection: close\r\n"));
  }
}

TEST_F(SessionTest, PipelinedRequestsAreAnsweredInTurn) {
  const auto body = test::body_of({.rows = 2, .first = 1, .binary = false}).bytes;
  const std::string infer =
      "POST /v2/models/m/infer HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
      body;
  const auto text = talk(infer + infer + live_and_close);
  EXPECT_EQ(answers_in(text), 3u);
  EXPECT_THAT(text, AllOf(HasSubstr("[3,5,7,9,11,13,15,17]"), testing::EndsWith("{\"live\":true}")));
}

TEST_F(SessionTest, ASmallRefusedBodyIsDroppedAndTheConnectionKept) {
  const auto text = talk("POST /nowhere HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello" + live_and_close);
  EXPECT_THAT(text, AllOf(StartsWith("HTTP/1.1 404"), HasSubstr("HTTP/1.1 200 OK")));
}

TEST_F(SessionTest, AMalformedHeadIsAnsweredAsJson) {
  for (const char* const head :
       {"nonsense\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n"}) {
    EXPECT_THAT(talk(std::string(head)), AllOf(StartsWith("HTTP/1.1 400 Bad Request\r\n"),
                                               HasSubstr("application/json"), HasSubstr("\r\n\r\n{\"error\":\"")));
  }
}

}  // namespace
}  // namespace headrace::http
