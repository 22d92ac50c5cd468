// The inference part of a session: reserve, read the body into place, prepare, submit, wait, answer.

#include <fmt/format.h>

#include <boost/asio/write.hpp>

#include "service/http/offload.hpp"
#include "service/http/session.hpp"
#include "service/pipeline/mailbox.hpp"

namespace headrace::http {

using telemetry::Clock;
using telemetry::Stage;

namespace {

constexpr std::size_t kept_bytes_max = 16u << 10;  // of answer text, and of an id, from one request to the next

/// H, when the header came: digits that fit the body.
proto::Result<std::optional<std::uint64_t>> json_length_of(const RequestHead& head) {
  if (!head.json_length) return std::optional<std::uint64_t>{};
  auto parsed = proto::parse_json_length(*head.json_length, static_cast<std::size_t>(head.content_length.value_or(0)));
  if (!parsed) return tl::unexpected(std::move(parsed.error()));
  if (*parsed == 0) {
    return proto::fail(proto::ErrorCode::unsupported_feature,
                       "header Inference-Header-Content-Length: a raw binary request (0) is not supported");
  }
  return std::optional<std::uint64_t>{*parsed};
}

}  // namespace

void Session::record(const pipeline::Request& request, int status, std::string_view rejection) const noexcept {
  request.model->metrics.record(
      {.timeline = &request.timeline, .http_status = status, .rejection = rejection, .rows = request.rows});
}

Awaitable<Session::Next> Session::refuse_request(pipeline::Request& request, const proto::Error& error,
                                                 std::uint64_t unread) {
  request.release_memory();  // it serves others while this answer is on its way; the place is kept until it is written
  const Next next = co_await refuse(error, unread);
  request.timeline.end(Stage::write, Clock::now());
  const auto& traits = proto::traits(error.code);
  const bool reached_device =
      error.code == proto::ErrorCode::device_failed || error.code == proto::ErrorCode::not_representable;
  record(request, traits.http_status, reached_device ? std::string_view{} : traits.name);
  co_return next;
}

Awaitable<Session::Next> Session::infer(const RouteMatch& match) {
  const auto& head = parser_.head();
  auto& door = *plane_.front_door();
  auto model = door.find(match.model, match.version);
  if (!model) {
    plane_.record(proto::traits(model.error().code).http_status);
    const Next next = co_await refuse(model.error(), head.content_length.value_or(0));
    co_return next;
  }
  const std::uint64_t length = head.content_length.value_or(0);
  auto json_bytes = json_length_of(head);
  auto reserved = json_bytes ? door.reserve(std::move(*model), {.body_bytes = length, .json_bytes = *json_bytes},
                                            thread_.mailbox, std::move(last_request_))
                             : tl::unexpected(json_bytes.error());
  if (!reserved) {
    pipeline::Request refused;
    refused.model = std::move(door.find(match.model, match.version)).value();
    refused.timeline.begin(first_byte_);
    const Next next = co_await refuse_request(refused, reserved.error(), length);
    co_return next;
  }
  const auto request = std::move(*reserved);
  request->timeline.begin(first_byte_);
  auto rest = pipeline::FrontDoor::body_of(*request);
  rest = rest.subspan(take_unread(rest));
  bool whole = rest.empty();
  if (!whole) whole = co_await read_body(rest);
  request->timeline.end(Stage::read, Clock::now());
  if (!whole) {
    if (!timed_out_) {
      record(*request, 499, "client_gone");
      co_return Next::close;
    }
    keep_alive_ = false;
    const proto::Error late{proto::ErrorCode::request_timeout, "body: it did not arrive in time"};
    const Next next = co_await refuse_request(*request, late, length);
    co_return next;
  }
  const Next next = co_await compute(request);
  if (next == Next::go_on) {  // answered: nobody else will touch it. A client that left may have left it to a flight.
    request->release();
    // What a large answer made them grow to is not kept by a connection that may be idle from now on.
    if (answer_.head.capacity() > kept_bytes_max) answer_.head = {};
    if (request->head.id.capacity() <= kept_bytes_max) last_request_ = request;
  }
  co_return next;
}

Awaitable<tl::expected<void, proto::Error>> Session::prepare_elsewhere(pipeline::Request& request) {
  auto& door = *plane_.front_door();
  const auto work = [&door, &request] {
    proto::InferRequestParser parser;
    return door.prepare(request, parser);
  };
  auto prepared = co_await async_offload(workers_, work, asio::use_awaitable_t<Executor>{});
  co_return prepared;
}

Awaitable<Session::Next> Session::compute(std::shared_ptr<pipeline::Request> request) {
  auto& door = *plane_.front_door();
  const bool small = request->json_bytes.value_or(request->body_bytes) < options_.offloaded_json_bytes_min;
  tl::expected<void, proto::Error> ready;
  if (small) {
    ready = door.prepare(*request, thread_.parser);
  } else {
    ready = co_await prepare_elsewhere(*request);
  }
  request->timeline.end(Stage::decode, Clock::now());
  if (ready && request->rows != 0) ready = door.submit(request);
  if (!ready) {
    const Next next = co_await refuse_request(*request, ready.error(), 0);
    co_return next;
  }
  if (request->rows != 0) {
    // The read for the next request stays outstanding: its end is how a client's departure is seen.
    const bool answered = co_await wait_for_answer(request);
    if (!answered) co_return Next::close;
  }
  if (request->error) {
    const proto::Error error = *request->error;
    const Next next = co_await refuse_request(*request, error, 0);
    co_return next;
  }
  const Next next = co_await send_answer(*request);
  co_return next;
}

Awaitable<bool> Session::wait_for_answer(std::shared_ptr<pipeline::Request> request) {
  // The read for the next request stays outstanding: its end is how a client's departure is seen.
  pipeline::Request& waited = *request;
  inbound_.on_end = [this, &waited] {
    const bool half_closed = inbound_.error() == asio::error::eof;
    if (!half_closed || options_.half_close_is_gone) waited.leave();
  };
  inbound_.arm(shared_from_this());
  if (inbound_.error()) std::exchange(inbound_.on_end, nullptr)();
  const bool answered = co_await request->async_wait(asio::use_awaitable_t<Executor>{});
  inbound_.on_end = nullptr;
  if (answered) {
    request->timeline.end(Stage::scatter, Clock::now());
    co_return true;
  }
  if (request->state.owner() == pipeline::RequestState::Owner::left) {
    request->timeline.end(Stage::queue, Clock::now());
    record(*request, 499, "client_gone");
  } else {
    // A flight, or the sweep, still writes to this request: it is counted, its stages are not.
    request->model->metrics.record({.timeline = nullptr, .http_status = 499, .rejection = {}, .rows = 0});
  }
  co_return false;
}

Awaitable<Session::Next> Session::send_answer(pipeline::Request& request) {
  proto::Result<void> encoded;
  if (request.text_bytes < options_.offloaded_json_bytes_min) {
    encoded = pipeline::FrontDoor::answer(request, answer_);
  } else {
    const auto work = [&request, this] { return pipeline::FrontDoor::answer(request, answer_); };
    encoded = co_await async_offload(workers_, work, asio::use_awaitable_t<Executor>{});
  }
  if (!encoded) {
    request.timeline.end(Stage::encode, Clock::now());
    const Next next = co_await refuse_request(request, encoded.error(), 0);
    co_return next;
  }
  const bool close = closing();
  ResponseHead head{.content_length = answer_.head.size() + answer_.blob_bytes, .close = close};
  if (answer_.blob_count != 0) {
    head.content_type = binary_type;
    head.json_length = answer_.head.size();
  }
  const std::size_t head_bytes = write_response_head(head, thread_.date.now(), head_);
  buffers_.assign({asio::buffer(head_, head_bytes), asio::buffer(answer_.head)});
  for (std::size_t i = 0; i < answer_.blob_count; ++i) {
    buffers_.emplace_back(answer_.blobs[i].data(), answer_.blobs[i].size());
  }
  request.timeline.end(Stage::encode, Clock::now());
  bool written = written_at_once(buffers_);
  if (!written) written = co_await write(buffers_);
  request.timeline.end(Stage::write, Clock::now());
  record(request, written ? 200 : 499, written ? "" : "client_gone");
  co_return written && !close ? Next::go_on : Next::close;
}

}  // namespace headrace::http
