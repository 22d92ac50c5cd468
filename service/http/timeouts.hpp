#pragma once
// Timeouts of one I/O thread: a list per class, first in first out, since all of a class wait equally long; a sweep
// costs what expired and not what is open. No timer object per request. Used by its thread only.

#include <array>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/intrusive/list.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "service/pipeline/executor.hpp"
#include "service/telemetry/timeline.hpp"

namespace headrace::http {

enum class TimeoutClass : std::uint8_t {
  idle,      // between requests, no byte of the next one
  header,    // first byte → whole head
  progress,  // a body or an answer that moves no byte
  linger,    // reading on after a refusal
};
inline constexpr std::size_t timeout_classes = 4;

struct TimeoutOptions {
  std::chrono::milliseconds idle{75'000};
  std::chrono::milliseconds header{10'000};
  std::chrono::milliseconds progress{20'000};
  std::chrono::milliseconds linger{5'000};
};

class Timeouts {
 public:
  /// Something that can time out; it leaves its list by itself when destroyed.
  class Entry : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
   public:
    /// Called by the sweep, once; the entry is no longer armed.
    virtual void on_timeout(TimeoutClass timeout) noexcept = 0;

   protected:
    ~Entry() = default;

   private:
    friend class Timeouts;
    telemetry::Clock::time_point deadline_{};
  };

  Timeouts(const Executor& executor, const TimeoutOptions& options);

  /// Arms or re-arms. `now`: when the waiting began.
  void arm(Entry& entry, TimeoutClass timeout, telemetry::Clock::time_point now) noexcept;
  void disarm(Entry& entry) noexcept;

  /// Sweeps every `period` on the thread's executor until the executor stops or stop() is called.
  void start(std::chrono::milliseconds period);
  void stop() noexcept;
  /// Tells every entry whose deadline is not after `now`.
  void sweep(telemetry::Clock::time_point now) noexcept;

 private:
  using List = boost::intrusive::list<Entry, boost::intrusive::constant_time_size<false>>;
  void schedule();

  std::array<List, timeout_classes> lists_;
  std::array<std::chrono::nanoseconds, timeout_classes> waits_;
  asio::basic_waitable_timer<telemetry::Clock, asio::wait_traits<telemetry::Clock>, Executor> timer_;
  std::chrono::milliseconds period_{0};
};

}  // namespace headrace::http
