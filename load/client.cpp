#include "load/client.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace headrace::load {
namespace {

using namespace std::chrono_literals;

constexpr auto as_result = asio::as_tuple(asio::use_awaitable_t<Executor>{});
constexpr Duration pause_after_refused_connection = 10ms;  // a closed loop would else spin
constexpr Duration idle_before_stale_check = 500ms;        // servers end idle connections after seconds

void write_hex(std::uint64_t number, std::array<char, request_id_bytes>& text) noexcept {
  for (std::size_t i = text.size(); i-- > 0; number >>= 4) text[i] = "0123456789abcdef"[number & 0xf];
}

}  // namespace

Task<void> Client::open() {
  deadline_ = Clock::now() + lane_.timeout;
  const std::string fault = co_await connection_.connect(lane_.server);
  connected_before_ = fault.empty();
  deadline_ = TimePoint::max();
}

Task<void> Client::run() {
  TimePoint now = Clock::now();
  for (;;) {
    const auto turn = lane_.turns->take(now);
    if (!turn) co_return;
    const TimePoint asked = now;
    if (turn->planned > now) {
      const bool due = co_await wait_until(turn->planned);
      if (!due) co_return;
      now = Clock::now();
    }
    start(*turn, asked, now);
    if (!connection_.is_open() || (now - idle_since_ > idle_before_stale_check && connection_.is_stale())) {
      const bool connected = co_await ensure_connected();
      if (!connected) {
        now = Clock::now();
        continue;
      }
    }
    prepare_buffers();
    const auto failure = co_await connection_.exchange(buffers_);
    now = Clock::now();
    judge(failure, now);
    idle_since_ = now;
    deadline_ = TimePoint::max();
  }
}

void Client::sweep(TimePoint now) noexcept {
  if (now < deadline_) return;
  timed_out_ = true;
  connection_.cancel();
}

void Client::wake() noexcept { timer_.cancel(); }

Task<bool> Client::wait_until(TimePoint planned) {
  timer_.expires_at(planned);
  auto [error] = co_await timer_.async_wait(as_result);
  co_return !error && !lane_.turns->stopped();
}

void Client::start(const Turn& turn, TimePoint asked, TimePoint now) {
  const std::size_t bodies = lane_.payload.bodies().size();
  const std::size_t number = lane_.next_body % bodies;
  lane_.next_body = number + lane_.body_stride;
  attempt_ = {turn, now, &lane_.payload.bodies()[number], number};
  timed_out_ = false;
  deadline_ = now + lane_.timeout;
  if (!turn.measured || !lane_.turns->open_loop()) return;
  lane_.recorder.lateness.record(nanoseconds(now - std::max(turn.planned, asked)));
  if (turn.planned < asked) ++lane_.recorder.waited;
}

Task<bool> Client::ensure_connected() {
  const std::string fault = co_await connection_.connect(lane_.server);
  if (fault.empty()) {
    if (std::exchange(connected_before_, true) && attempt_.turn.measured) ++lane_.recorder.reconnects;
    co_return true;
  }
  count_error(timed_out_ ? ErrorKind::timeout : ErrorKind::connect, fault);
  deadline_ = TimePoint::max();
  if (!lane_.turns->open_loop()) {
    timer_.expires_after(pause_after_refused_connection);
    auto [error] = co_await timer_.async_wait(as_result);
    static_cast<void>(error);  // a wake-up only ends the pause early
  }
  co_return false;
}

void Client::prepare_buffers() {
  const Body& body = *attempt_.body;
  buffers_.clear();
  buffers_.emplace_back(body.head.data(), body.head.size());
  if (lane_.payload.with_id()) {
    write_hex(lane_.next_id++, id_);
    buffers_.emplace_back(id_.data(), id_.size());
    buffers_.emplace_back(body.tail.data(), body.tail.size());
  }
  for (const auto blob : body.blobs) buffers_.emplace_back(blob.data(), blob.size());
}

void Client::judge(Connection::Failure failure, TimePoint ended) {
  if (failure != Connection::Failure::none) {
    if (timed_out_) return count_error(ErrorKind::timeout, "no whole answer in time");
    const bool closed = failure == Connection::Failure::closed;
    return count_error(closed ? ErrorKind::closed : ErrorKind::protocol, connection_.fault());
  }
  Recorder& recorder = lane_.recorder;
  ++recorder.all_requests;
  const Answer& answer = connection_.answer();
  std::optional<AnswerCheck::Finding> finding;
  if (answer.status == 200 && lane_.check) {
    const AnswerCheck::Given given{*attempt_.body, attempt_.body_number, {id_.data(), id_.size()}};
    finding = lane_.check->check(given, answer, connection_.body());
  }
  if (!attempt_.turn.measured) return;
  ++recorder.requests;
  recorder.last_end = ended;
  if (answer.status != 200 || finding) {
    recorder.timeline.add_error(ended);
    if (answer.status != 200) return recorder.errors.count_status(answer.status, connection_.body());
    return recorder.errors.count(finding->kind, finding->text);
  }
  ++recorder.succeeded;
  recorder.rows += attempt_.body->rows;
  recorder.timeline.add_success(ended, latency_ns(ended));
  record_latency(ended);
}

std::uint64_t Client::latency_ns(TimePoint ended) const noexcept {
  return nanoseconds(ended - (lane_.turns->open_loop() ? attempt_.turn.planned : attempt_.sent));
}

void Client::record_latency(TimePoint ended) {
  lane_.recorder.latency.record(latency_ns(ended));
  lane_.recorder.service.record(nanoseconds(ended - attempt_.sent));
}

void Client::count_error(ErrorKind kind, std::string_view text) {
  Recorder& recorder = lane_.recorder;
  ++recorder.all_requests;
  if (!attempt_.turn.measured) return;
  const TimePoint ended = Clock::now();
  ++recorder.requests;
  recorder.last_end = ended;
  recorder.errors.count(kind, text);
  if (kind != ErrorKind::timeout) return recorder.timeline.add_error(ended);
  recorder.timeline.add_timeout(ended, latency_ns(ended));
  record_latency(ended);
}

}  // namespace headrace::load
