#pragma once
// A small inference server for testing the load generator: one model, `double` (FP32[4] → twice the row), whose every
// answer to an inference request follows a program: right, late, refused, cut short, or wrong in a chosen way. One
// thread a connection; everything it started is joined by its destructor.

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include "load/histogram.hpp"

namespace headrace::load::testing {

struct Act {
  enum class Kind {
    answer,  // right, with Content-Length
    chunked,  // right, in chunks
    then_close,  // right, but with Connection: close
    status,  // an error document with `status`
    garbage,  // no HTTP
    half,  // an answer cut short, then the connection's end
    wrong_id,  // right but for the id
    wrong_values,  // one value is off by one
    no_document,  // 200 with a body that is no inference answer
    close,  // the connection's end without an answer
    never,  // no answer; the client has to give up
  };
  Kind kind = Kind::answer;
  unsigned status = 503;
  std::chrono::nanoseconds delay{0};
};

class TestServer {
 public:
  /// Called for each inference request in the order of arrival, counted from 0; from any of the server's threads.
  using Program = std::function<Act(std::uint64_t request)>;

  static constexpr std::size_t row_elements = 4;
  static constexpr std::uint32_t max_batch_size = 64;

  explicit TestServer(Program program = [](std::uint64_t) { return Act{}; });
  ~TestServer();

  /// Refuses connections from now on; those that are open stay. From any thread.
  void stop_listening() noexcept;

  std::uint16_t port() const noexcept { return port_; }
  std::uint64_t requests() const noexcept { return requests_.load(); }
  std::uint64_t connections() const noexcept { return connections_.load(); }
  /// How long each inference request took from the time it was here in full until its answer was about to leave: less
  /// than its client can have seen. Of those answered so far; a client has its answer only after it is recorded.
  Histogram recorded();

 private:
  using Socket = boost::asio::ip::tcp::socket;

  void accept_all();
  void serve(Socket& socket);
  bool answer_infer(Socket& socket, const std::string& head, std::string body);
  bool perform(Socket& socket, const Act& act, const std::string& json, const std::string& blobs);

  Program program_;
  boost::asio::io_context context_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::uint16_t port_ = 0;
  std::atomic<std::uint64_t> requests_{0};
  std::atomic<std::uint64_t> connections_{0};
  std::mutex mutex_;
  Histogram recorded_;
  std::condition_variable stopping_changed_;
  bool stopping_ = false;
  std::list<Socket> sockets_;
  std::list<std::jthread> sessions_;
  std::jthread acceptor_thread_;
};

}  // namespace headrace::load::testing
