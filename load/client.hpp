#pragma once
// One connection's life: take a turn, send a prepared request, read and judge the answer, record it, again.
//
// All clients of a thread share its Lane and run on its io_context; nothing here is thread-safe.

#include <boost/asio/basic_waitable_timer.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "load/answer_check.hpp"
#include "load/clock.hpp"
#include "load/connection.hpp"
#include "load/payload.hpp"
#include "load/recorder.hpp"
#include "load/turns.hpp"

namespace headrace::load {

using Timer =
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Executor>;

/// What the clients of one thread share.
struct Lane {
  Endpoint server;
  const Payload& payload;
  Duration timeout{};
  std::size_t next_body = 0;    // this thread's turn through the bodies
  std::size_t body_stride = 1;  // threads in all
  std::uint64_t next_id = 0;    // unique over threads: the first 16 bits tell the thread
  std::optional<AnswerCheck> check;
  std::optional<Turns> turns;
  Recorder recorder;
};

class Client {
 public:
  Client(const Executor& executor, Lane& lane) : lane_(lane), connection_(executor), timer_(executor) {}

  /// Opens the connection ahead of the run; a failure shows when the first request tries again.
  Task<void> open();
  /// Until no turn is left.
  Task<void> run();

  /// Cancels what has gone on for longer than the timeout. Called by the thread's sweep.
  void sweep(TimePoint now) noexcept;
  /// Ends a wait for a planned time.
  void wake() noexcept;

 private:
  struct Attempt {
    Turn turn;
    TimePoint sent;
    const Body* body;
    std::size_t body_number;
  };

  Task<bool> wait_until(TimePoint planned);
  Task<bool> ensure_connected();
  void start(const Turn& turn, TimePoint asked, TimePoint now);
  void prepare_buffers();
  void judge(Connection::Failure failure, TimePoint ended);
  /// Of the answer that ended then, from the time it should have been asked for.
  std::uint64_t latency_ns(TimePoint ended) const noexcept;
  void record_latency(TimePoint ended);
  void count_error(ErrorKind kind, std::string_view text);

  Lane& lane_;
  Connection connection_;
  Timer timer_;
  Attempt attempt_{};
  TimePoint deadline_ = TimePoint::max();
  TimePoint idle_since_{};
  bool timed_out_ = false;
  bool connected_before_ = false;
  std::array<char, request_id_bytes> id_{};
  std::vector<asio::const_buffer> buffers_;
};

}  // namespace headrace::load
