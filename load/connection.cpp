#include "load/connection.hpp"

#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace headrace::load {
namespace {

constexpr auto as_result = asio::as_tuple(asio::use_awaitable_t<Executor>{});
constexpr std::size_t buffer_bytes_initial = std::size_t{16} << 10;
constexpr std::size_t buffer_room_min = 2048;  // below this a read is not worth its system call

std::vector<asio::const_buffer> without_first(std::span<const asio::const_buffer> buffers, std::size_t bytes) {
  std::vector<asio::const_buffer> rest;
  for (const asio::const_buffer& buffer : buffers) {
    const std::size_t dropped = std::min(bytes, buffer.size());
    bytes -= dropped;
    if (dropped != buffer.size()) rest.push_back(buffer + dropped);
  }
  return rest;
}

}  // namespace

Connection::Connection(const Executor& executor) : socket_(executor) { reserve(buffer_bytes_initial); }

bool Connection::is_stale() noexcept {
  char byte = 0;
  boost::system::error_code error;
  socket_.receive(asio::buffer(&byte, 1), asio::socket_base::message_peek, error);
  return error != asio::error::would_block;
}

Task<std::string> Connection::connect(Endpoint endpoint) {
  close();
  auto [error] = co_await socket_.async_connect(endpoint, as_result);
  if (!error) socket_.set_option(asio::ip::tcp::no_delay(true), error);
  if (!error) socket_.non_blocking(true, error);
  if (!error) co_return std::string();
  close();
  co_return error.message();
}

Task<Connection::Failure> Connection::exchange(std::span<const asio::const_buffer> request) {
  reader_.reset();
  received_ = 0;
  std::size_t request_bytes = 0;
  for (const asio::const_buffer& buffer : request) request_bytes += buffer.size();

  boost::system::error_code error;
  std::size_t sent = socket_.write_some(request, error);
  if (error == asio::error::would_block || error == asio::error::try_again) error.clear();
  bool sent_whole = !error;
  if (sent_whole && sent < request_bytes) sent_whole = co_await send_rest(request, sent);

  // A server may answer before it has taken the whole request and close then: its answer counts, if it can be read.
  const Failure failure = co_await read_answer();
  if (failure == Failure::none && sent_whole && answer().keep_alive) co_return failure;
  close();
  co_return failure;
}

Task<bool> Connection::send_rest(std::span<const asio::const_buffer> request, std::size_t sent) {
  const std::vector<asio::const_buffer> rest = without_first(request, sent);
  auto [error, bytes] = co_await asio::async_write(socket_, rest, as_result);
  co_return !error;
}

Task<Connection::Failure> Connection::read_answer() {
  for (;;) {
    auto [error, bytes] =
        co_await socket_.async_read_some(asio::buffer(buffer_.get() + received_, capacity_ - received_), as_result);
    received_ += bytes;
    if (error) {
      if (error == asio::error::eof && reader_.finish() == AnswerReader::State::done) co_return Failure::none;
      co_return fail_with(Failure::closed, received_ != 0 ? "the connection ended within the answer" : error.message());
    }
    const auto state = reader_.advance(buffer_.get(), received_);
    if (state == AnswerReader::State::done) co_return Failure::none;
    if (state == AnswerReader::State::bad) co_return fail_with(Failure::protocol, reader_.fault());
    reserve(std::max(reader_.bytes_wanted(), received_ + buffer_room_min));
  }
}

Connection::Failure Connection::fail_with(Failure failure, std::string_view fault) {
  fault_ = fault;
  return failure;
}

void Connection::reserve(std::size_t bytes) {
  if (bytes <= capacity_) return;
  const std::size_t capacity = std::max(bytes, 2 * capacity_);
  auto buffer = std::make_unique_for_overwrite<char[]>(capacity + padding_bytes);
  if (received_ != 0) std::memcpy(buffer.get(), buffer_.get(), received_);
  buffer_ = std::move(buffer);
  capacity_ = capacity;
}

void Connection::cancel() noexcept {
  boost::system::error_code ignored;
  socket_.cancel(ignored);
}

void Connection::close() noexcept {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

}  // namespace headrace::load
