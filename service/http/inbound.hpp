#pragma once
// The receiving half of a connection: a small buffer, and at most one read that may stay outstanding while a request is
// computed, so that a client's departure is seen at once. Used by the connection's thread only.

#include <boost/asio/async_result.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "service/pipeline/executor.hpp"
#include "service/pipeline/one_shot.hpp"

namespace headrace::http {

using Socket = asio::basic_stream_socket<asio::ip::tcp, Executor>;

class Inbound {
 public:
  /// What bounds the piece of a body that arrives with its head and must be moved out of here.
  static constexpr std::size_t capacity_bytes_initial = 4096;

  explicit Inbound(Socket& socket) : socket_(socket), buffer_(capacity_bytes_initial) {}

  std::span<const char> unread() const noexcept { return {buffer_.data() + begin_, end_ - begin_}; }
  void consume(std::size_t bytes) noexcept;
  /// Set once the peer closed its side or the connection failed; unread() may still hold bytes.
  const boost::system::error_code& error() const noexcept { return error_; }
  /// A read is outstanding: the next bytes of the connection are its, and nobody else may read.
  bool reading() const noexcept { return reading_; }

  /// Starts the outstanding read unless one is running, the buffer is full, or the connection is over.
  /// `owner` keeps the connection alive until the read ends. `on_end` is told when the peer is gone, if it is set then.
  void arm(std::shared_ptr<void> owner);
  std::function<void()> on_end;

  /// Completes when unread() grew, error() is set, or the read was interrupted by cancelling the socket's operations:
  /// what had arrived by then is in unread(). Grows the buffer up to `bytes_max` when it is full.
  template <class Token>
  auto async_more(std::shared_ptr<void> owner, std::size_t bytes_max, Token&& token) {
    make_room(bytes_max);
    return asio::async_initiate<Token, void()>(
        [this](auto handler, std::shared_ptr<void> keep) {
          arm(std::move(keep));
          if (reading_) {
            waiter_.keep(std::move(handler));
          } else {
            pipeline::complete_later(std::move(handler));  // over, or full
          }
        },
        token, std::move(owner));
  }

 private:
  void make_room(std::size_t bytes_max);
  void on_read(const boost::system::error_code& error, std::size_t bytes);

  Socket& socket_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool reading_ = false;
  boost::system::error_code error_;
  pipeline::OneShot<> waiter_;
};

}  // namespace headrace::http
