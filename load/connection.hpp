#pragma once
// One HTTP/1.1 connection to the server: send a prepared request, read its answer. Runs on its io_context's one thread.
//
// An exchange tries to write at once and waits only for the answer; the receive buffer is kept, so that a warm exchange
// allocates nothing. There is no timer here: whoever watches the clock calls cancel(), and the exchange under way
// fails.

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "load/answer_reader.hpp"

namespace headrace::load {

namespace asio = boost::asio;
using Executor = asio::io_context::executor_type;
template <class T>
using Task = asio::awaitable<T, Executor>;
using Endpoint = asio::ip::tcp::endpoint;

class Connection {
 public:
  /// Readable bytes that always follow a received answer, for a JSON library that reads past the end.
  static constexpr std::size_t padding_bytes = 64;

  enum class Failure : std::uint8_t {
    none,
    closed,  // the connection ended before the answer was whole, or was cancelled
    protocol,  // what came is not an HTTP answer; fault() says why
  };

  explicit Connection(const Executor& executor);

  bool is_open() const noexcept { return socket_.is_open(); }
  /// The server has ended the idle connection (or sent what nobody asked for). Costs a system call.
  bool is_stale() noexcept;

  /// Empty on success, else why not; the connection is then closed.
  Task<std::string> connect(Endpoint endpoint);
  /// Sends `request` (the buffers and what they point to outlive the call) and reads one answer. After a failure, and
  /// after an answer that ends the connection, it is closed; answer() stays readable until the next exchange.
  Task<Failure> exchange(std::span<const asio::const_buffer> request);

  /// Fails the operation under way, if any. From the same thread.
  void cancel() noexcept;
  void close() noexcept;

  const Answer& answer() const noexcept { return reader_.answer(); }
  std::string_view body() const noexcept { return {buffer_.get() + answer().body_offset, answer().body_bytes}; }
  /// Why the last exchange failed.
  std::string_view fault() const noexcept { return fault_; }

 private:
  using Socket = asio::basic_stream_socket<asio::ip::tcp, Executor>;

  Task<bool> send_rest(std::span<const asio::const_buffer> request, std::size_t sent);
  Task<Failure> read_answer();
  Failure fail_with(Failure failure, std::string_view fault);
  void reserve(std::size_t bytes);

  Socket socket_;
  AnswerReader reader_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;  // without the padding
  std::size_t received_ = 0;
  std::string fault_;
};

}  // namespace headrace::load
