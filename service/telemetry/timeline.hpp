#pragma once
// The stamps that ride with one request. Each stage begins where the one before ended, `read` at the
// request's first byte, so the stages add up to the total. Not thread-safe: it travels with the request from
// owner to owner.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headrace::telemetry {

using Clock = std::chrono::steady_clock;

enum class Stage : std::uint8_t {
  read,     // first byte → whole body in memory
  decode,   // body → request
  admit,    // byte and count budgets
  queue,    // in the channel, until a batcher turns to it
  slot,     // waiting for a free slot
  pack,     // host work before the device starts
  h2d,      // rows to the device
  kernel,   // the program
  d2h,      // rows from the device
  scatter,  // until the answer is back on the request's thread
  encode,   // results → response head
  write,    // until the last byte was given to the socket
};
inline constexpr std::size_t stage_count = 12;

std::string_view stage_name(Stage stage) noexcept;

class Timeline {
 public:
  void begin(Clock::time_point first_byte) noexcept {
    begin_ = first_byte;
    last_ = first_byte;
    durations_.fill(std::chrono::nanoseconds{0});
  }
  /// The stage ends now; the next begins. A stamp before the last one counts as 0.
  void end(Stage stage, Clock::time_point now) noexcept {
    if (now <= last_) return;
    durations_[static_cast<std::size_t>(stage)] += now - last_;
    last_ = now;
  }
  /// The stage took that long, as measured by the device, from where the last one ended; cut at `not_after`.
  void add(Stage stage, std::chrono::nanoseconds took, Clock::time_point not_after) noexcept {
    const auto until = last_ + took;
    end(stage, until < not_after ? until : not_after);
  }

  std::chrono::nanoseconds of(Stage stage) const noexcept { return durations_[static_cast<std::size_t>(stage)]; }
  std::chrono::nanoseconds total() const noexcept { return last_ - begin_; }
  Clock::time_point begun() const noexcept { return begin_; }
  Clock::time_point last() const noexcept { return last_; }

 private:
  Clock::time_point begin_{};
  Clock::time_point last_{};
  std::array<std::chrono::nanoseconds, stage_count> durations_{};
};

}  // namespace headrace::telemetry
