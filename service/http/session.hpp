#pragma once
// One connection: read a head, decide by it what to do with the body, answer with one gather write, again.
// Lives on its I/O thread; kept alive by its coroutine and by its outstanding operations.

#include <boost/asio/buffer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "service/http/head_parser.hpp"
#include "service/http/inbound.hpp"
#include "service/http/io_thread.hpp"
#include "service/http/plane.hpp"
#include "service/http/reply.hpp"
#include "service/http/timeouts.hpp"
#include "service/pipeline/executor.hpp"
#include "service/pipeline/front_door.hpp"
#include "service/pipeline/permit.hpp"

namespace headrace::http {

struct SessionOptions {
  std::uint64_t body_bytes_max = 64u << 20;
  std::uint64_t small_body_bytes_max = 64u << 10;        // bodies of everything but inference
  std::uint64_t drained_body_bytes_max = 64u << 10;  // an unread body up to this size is drained, the connection kept
  std::uint64_t lingered_body_bytes_max = 16u << 20;  // of a larger one as much is read on before closing
  std::uint64_t offloaded_json_bytes_min = 64u << 10;  // JSON from this size on is parsed and written by a worker
  bool half_close_is_gone = true;  // a client that closes its sending side wants no answer
};

class Session final : public Connection, public Timeouts::Entry, public std::enable_shared_from_this<Session> {
 public:
  /// `place`: this connection's part of the connection budget.
  Session(Socket socket, IoThread& thread, Plane& plane, asio::thread_pool& workers, const SessionOptions& options,
          pipeline::Permit place);
  ~Session();

  /// Starts the coroutine on the socket's executor. Call on that executor's thread.
  void start();

  void close_when_idle() noexcept override;
  void abort() noexcept override;
  void on_timeout(TimeoutClass timeout) noexcept override;

 private:
  enum class Next : std::uint8_t { go_on, close, linger };
  using Buffers = std::vector<asio::const_buffer>;

  Awaitable<> run(std::shared_ptr<Session> self);
  Awaitable<bool> read_head();
  Awaitable<Next> exchange();
  Awaitable<Next> answer_small(const RouteMatch& match);
  Awaitable<Next> infer(const RouteMatch& match);
  Awaitable<Next> compute(std::shared_ptr<pipeline::Request> request);
  Awaitable<tl::expected<void, proto::Error>> prepare_elsewhere(pipeline::Request& request);  // on a worker
  Awaitable<bool> wait_for_answer(std::shared_ptr<pipeline::Request> request);
  Awaitable<Next> send_answer(pipeline::Request& request);

  /// Answers with an error whose body may not have been read yet: `unread` bytes of it are still to come.
  Awaitable<Next> refuse(const proto::Error& error, std::uint64_t unread);
  Awaitable<Next> refuse_request(pipeline::Request& request, const proto::Error& error, std::uint64_t unread);
  Awaitable<Next> write_reply(const Reply& reply, bool close);
  /// Some bytes of the connection: unread ones, then what the outstanding read brings, then straight from the socket.
  /// 0: the connection ended or made no progress (timed_out_).
  Awaitable<std::size_t> receive(std::span<std::byte> into);
  std::size_t take_unread(std::span<std::byte> into) noexcept;
  Awaitable<bool> read_body(std::span<std::byte> into);
  Awaitable<bool> send_continue();
  /// Try first, await second: true when the socket took all; otherwise `buffers` is what is left for write().
  bool written_at_once(Buffers& buffers) noexcept;
  Awaitable<bool> write(Buffers& buffers);
  Awaitable<bool> drain_body(std::uint64_t bytes);
  Awaitable<> linger();

  void record(const pipeline::Request& request, int status, std::string_view rejection) const noexcept;
  bool unread_waits() noexcept;
  bool closing() const noexcept { return closing_ || !keep_alive_ || plane_.closing(); }

  Socket socket_;
  IoThread& thread_;
  Plane& plane_;
  asio::thread_pool& workers_;
  const SessionOptions& options_;
  pipeline::Permit place_;
  Inbound inbound_;
  HeadParser parser_;
  telemetry::Clock::time_point first_byte_{};
  char head_[response_head_bytes_max];
  Buffers buffers_;
  pipeline::Answer answer_;  // these two are used again from request to request
  std::shared_ptr<pipeline::Request> last_request_;  // gave its buffers back
  bool idle_ = true;
  bool keep_alive_ = true;
  bool closing_ = false;
  bool timed_out_ = false;
  bool continue_due_ = false;
};

}  // namespace headrace::http
