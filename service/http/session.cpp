#include "service/http/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/write.hpp>

#include "gpu/host_copy.hpp"
#include "service/pipeline/spawn.hpp"

namespace headrace::http {

using telemetry::Clock;

namespace {

// A body or an answer may take that long, and beyond it as long as at that rate: a client that trickles a byte now and
// then must not hold its memory for ever.
constexpr std::chrono::seconds slowest_start{30};
constexpr std::uint64_t slowest_bytes_per_second = 64u << 10;

Clock::time_point slowest_end(std::uint64_t bytes) {
  return Clock::now() + slowest_start + std::chrono::seconds(bytes / slowest_bytes_per_second);
}

/// True when nothing is left to write.
bool drop_written(std::vector<asio::const_buffer>& buffers, std::size_t written) {
  auto rest = buffers.begin();
  for (; rest != buffers.end() && written >= rest->size(); ++rest) written -= rest->size();
  buffers.erase(buffers.begin(), rest);
  if (!buffers.empty()) buffers.front() += written;
  return buffers.empty();
}

}  // namespace

Session::Session(Socket socket, IoThread& thread, Plane& plane, asio::thread_pool& workers,
                 const SessionOptions& options, pipeline::Permit place)
    : socket_(std::move(socket)),
      thread_(thread),
      plane_(plane),
      workers_(workers),
      options_(options),
      place_(std::move(place)),
      inbound_(socket_) {}

Session::~Session() = default;

void Session::start() {
  boost::system::error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
  thread_.connections.push_back(*this);
  pipeline::spawn(socket_.get_executor(), run(shared_from_this()), "session");
}

void Session::close_when_idle() noexcept {
  closing_ = true;
  boost::system::error_code ignored;
  if (idle_) socket_.cancel(ignored);  // the coroutine looks whether a request has arrived after all
}

void Session::abort() noexcept {
  closing_ = true;
  boost::system::error_code ignored;
  socket_.cancel(ignored);
  socket_.close(ignored);
}

void Session::on_timeout(TimeoutClass timeout) noexcept {
  timed_out_ = true;
  boost::system::error_code ignored;
  if (timeout == TimeoutClass::header || timeout == TimeoutClass::progress) {
    socket_.cancel(ignored);  // the coroutine answers 408, or gives up a write
  } else {
    abort();
  }
}

Awaitable<> Session::run(std::shared_ptr<Session> self) {
  // Also when an exception ends it: what is outstanding must not keep the connection.
  struct Ending {
    Session& session;
    ~Ending() {
      session.thread_.timeouts.disarm(session);
      session.abort();
    }
  } const ending{*self};
  for (;;) {
    const bool have_head = co_await read_head();
    if (!have_head) break;
    const Next next = co_await exchange();
    // What a client pipelined behind its last answered request would otherwise turn the close into a reset.
    if (next == Next::linger || (next == Next::close && unread_waits())) co_await linger();
    if (next != Next::go_on) break;
  }
}

bool Session::unread_waits() noexcept {
  boost::system::error_code failed;
  return !inbound_.error() && (!inbound_.unread().empty() || socket_.available(failed) != 0) && !failed;
}

Awaitable<bool> Session::read_head() {
  parser_.reset(options_.body_bytes_max);
  timed_out_ = false;
  continue_due_ = false;
  idle_ = inbound_.unread().empty();
  if (idle_) {
    thread_.timeouts.arm(*this, TimeoutClass::idle, Clock::now());
    while (inbound_.unread().empty() && !inbound_.error()) {
      if (closing_ && !unread_waits()) co_return false;
      co_await inbound_.async_more(shared_from_this(), head_bytes_max, use_result);
    }
    idle_ = false;
  }
  first_byte_ = Clock::now();
  bool header_timeout_armed = false;
  for (;;) {
    std::size_t consumed = 0;
    const auto status = parser_.put(inbound_.unread(), consumed);
    if (status == HeadParser::Status::done) {
      inbound_.consume(consumed);
      thread_.timeouts.disarm(*this);
      co_return true;
    }
    if (status == HeadParser::Status::failed) {
      plane_.record(proto::traits(parser_.error().code).http_status);
      keep_alive_ = false;
      const Next next = co_await refuse(parser_.error(), options_.lingered_body_bytes_max);
      if (next == Next::linger) co_await linger();
      co_return false;
    }
    if (timed_out_ && !inbound_.unread().empty()) {
      keep_alive_ = false;
      plane_.record(408);
      const proto::Error late{proto::ErrorCode::request_timeout, "request head: it did not arrive in time"};
      const Next next = co_await refuse(late, options_.lingered_body_bytes_max);
      if (next == Next::linger) co_await linger();
      co_return false;
    }
    if (inbound_.error() || !socket_.is_open()) co_return false;
    if (!header_timeout_armed) {
      thread_.timeouts.arm(*this, TimeoutClass::header, first_byte_);
      header_timeout_armed = true;
    }
    co_await inbound_.async_more(shared_from_this(), head_bytes_max, use_result);
  }
}

Awaitable<Session::Next> Session::exchange() {
  const auto& head = parser_.head();
  keep_alive_ = head.keep_alive;
  continue_due_ = head.expect_continue;
  const auto match = plane_.match(head.method, head.target);
  // Where a chunked body ends is not known without reading it: the connection cannot be kept, whatever the answer.
  if (head.chunked) keep_alive_ = false;
  const std::uint64_t length = head.chunked ? options_.lingered_body_bytes_max : head.content_length.value_or(0);
  std::optional<proto::Error> refusal;
  if (match.route == Route::not_found) {
    refusal = {proto::ErrorCode::not_found, "Not Found"};
  } else if (match.route == Route::method_not_allowed) {
    refusal = {proto::ErrorCode::method_not_allowed,
               fmt::format("method {}: expected {} for this path", head.method_text.substr(0, 32), match.allow)};
  } else if (head.chunked) {
    refusal = {proto::ErrorCode::unsupported_feature,
               "header Transfer-Encoding: expected a Content-Length, got chunked"};
  } else if (!head.content_encoding.empty()) {
    refusal = {
        proto::ErrorCode::unsupported_encoding,
        fmt::format("header Content-Encoding: expected identity, got '{}'", head.content_encoding.substr(0, 32))};
  }
  if (refusal) {
    plane_.record(proto::traits(refusal->code).http_status);
    const Next next = co_await refuse(*refusal, length);
    co_return next;
  }
  if (match.route == Route::infer) {
    const Next next = co_await infer(match);
    co_return next;
  }
  const Next next = co_await answer_small(match);
  co_return next;
}

Awaitable<Session::Next> Session::answer_small(const RouteMatch& match) {
  const std::uint64_t length = parser_.head().content_length.value_or(0);
  if (length > options_.small_body_bytes_max) {
    plane_.record(413);
    const proto::Error large{
        proto::ErrorCode::payload_too_large,
        fmt::format("body: expected at most {} bytes for this path, got {}", options_.small_body_bytes_max, length)};
    const Next next = co_await refuse(large, length);
    co_return next;
  }
  // Only one route has a use for its body: what others carry is not worth memory.
  std::string body(match.route == Route::repository_index ? static_cast<std::size_t>(length) : 0, '\0');
  auto rest = std::as_writable_bytes(std::span(body));
  rest = rest.subspan(take_unread(rest));
  bool whole = rest.empty();
  if (!whole) whole = co_await read_body(rest);
  bool drained = whole;
  if (whole && body.size() != length) drained = co_await drain_body(length);
  if (!drained) {
    if (!timed_out_) co_return Next::close;
    keep_alive_ = false;
    plane_.record(408);
    const proto::Error late{proto::ErrorCode::request_timeout, "body: it did not arrive in time"};
    const Next next = co_await refuse(late, length);
    co_return next;
  }
  const Reply reply = plane_.answer(match, body);
  if (reply.status != 200) plane_.record(reply.status);
  const Next next = co_await write_reply(reply, closing());
  co_return next;
}

Awaitable<bool> Session::send_continue() {
  continue_due_ = false;
  constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
  buffers_.assign(1, asio::buffer(go_on));
  bool written = written_at_once(buffers_);
  if (!written) written = co_await write(buffers_);
  co_return written;
}

std::size_t Session::take_unread(std::span<std::byte> into) noexcept {
  const auto unread = inbound_.unread();
  const std::size_t have = std::min(unread.size(), into.size());
  if (have == 0) return 0;
  std::uint64_t copied = 0;
  gpu::copy_counted(std::as_bytes(unread.first(have)), into.data(), copied);
  plane_.count_copied(copied);
  inbound_.consume(have);
  return have;
}

Awaitable<std::size_t> Session::receive(std::span<std::byte> into) {
  while (inbound_.unread().empty()) {
    if (inbound_.error() || timed_out_ || !socket_.is_open()) co_return 0;
    thread_.timeouts.arm(*this, TimeoutClass::progress, Clock::now());
    if (inbound_.reading()) {
      // The read that watched for the client's departure is still out: the next bytes are its own.
      co_await inbound_.async_more(shared_from_this(), head_bytes_max, use_result);
      continue;
    }
    const auto [error, bytes] = co_await socket_.async_read_some(asio::buffer(into.data(), into.size()), use_result);
    thread_.timeouts.disarm(*this);
    co_return error ? 0 : bytes;
  }
  thread_.timeouts.disarm(*this);
  co_return take_unread(into);
}

Awaitable<bool> Session::read_body(std::span<std::byte> into) {
  const auto deadline = slowest_end(into.size());
  while (!into.empty()) {
    if (continue_due_) {
      const bool told = co_await send_continue();
      if (!told) co_return false;
    }
    const std::size_t bytes = co_await receive(into);
    if (Clock::now() > deadline) timed_out_ = true;
    if (bytes == 0 || timed_out_) co_return false;
    into = into.subspan(bytes);
  }
  co_return true;
}

Awaitable<bool> Session::drain_body(std::uint64_t bytes) {
  const auto deadline = slowest_end(bytes);
  while (bytes != 0) {
    std::byte scratch[4096];
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, sizeof scratch));
    const std::size_t got = co_await receive({scratch, wanted});
    if (got == 0 || Clock::now() > deadline) co_return false;
    bytes -= got;
  }
  co_return true;
}

bool Session::written_at_once(Buffers& buffers) noexcept {
  boost::system::error_code error;
  const std::size_t written = socket_.write_some(buffers, error);
  return drop_written(buffers, written);  // a broken connection shows at the next write
}

Awaitable<bool> Session::write(Buffers& buffers) {
  const auto deadline = slowest_end(asio::buffer_size(buffers));
  while (Clock::now() <= deadline) {
    thread_.timeouts.arm(*this, TimeoutClass::progress, Clock::now());
    const auto [error, written] = co_await socket_.async_write_some(buffers, use_result);
    thread_.timeouts.disarm(*this);
    if (error) co_return false;
    if (drop_written(buffers, written)) co_return true;
  }
  co_return false;
}

Awaitable<Session::Next> Session::write_reply(const Reply& reply, bool close) {
  const ResponseHead head{.status = reply.status,
                          .content_type = reply.content_type,
                          .content_length = reply.body.size(),
                          .allow = reply.allow,
                          .retry_after_s = reply.retry_after_s,
                          .close = close};
  const std::size_t head_bytes = write_response_head(head, thread_.date.now(), head_);
  buffers_.assign(1, asio::buffer(head_, head_bytes));
  // What follows the head of an answer to HEAD would be taken for the next answer.
  if (parser_.head().method_text != "HEAD") buffers_.push_back(asio::buffer(reply.body));
  bool written = written_at_once(buffers_);
  if (!written) written = co_await write(buffers_);
  co_return written && !close ? Next::go_on : Next::close;
}

Awaitable<Session::Next> Session::refuse(const proto::Error& error, std::uint64_t unread) {
  // With 100-continue outstanding the client has not sent the body and, answered, will not.
  const bool body_follows = unread != 0 && !continue_due_;
  const bool drain = body_follows && unread <= options_.drained_body_bytes_max && keep_alive_;
  const bool close = closing() || (body_follows && !drain) || (continue_due_ && unread != 0);
  Reply reply = error_reply(error);
  if (error.code == proto::ErrorCode::method_not_allowed) {
    reply.allow = plane_.match(parser_.head().method, parser_.head().target).allow;
  }
  const Next next = co_await write_reply(reply, close);
  if (drain && next == Next::go_on) {
    const bool drained = co_await drain_body(unread);
    co_return drained ? Next::go_on : Next::close;
  }
  if (close && body_follows) co_return Next::linger;
  co_return next;
}

Awaitable<> Session::linger() {
  // Closing at once would reset the connection before the client has read the answer.
  boost::system::error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  thread_.timeouts.arm(*this, TimeoutClass::linger, Clock::now());
  std::uint64_t left = options_.lingered_body_bytes_max;
  while (left != 0) {
    char scratch[16384];
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, sizeof scratch));
    const auto [error, got] = co_await socket_.async_read_some(asio::buffer(scratch, wanted), use_result);
    if (error) co_return;
    left -= got;
  }
}

}  // namespace headrace::http
