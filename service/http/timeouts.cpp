#include "service/http/timeouts.hpp"

#include <boost/asio/error.hpp>

namespace headrace::http {

Timeouts::Timeouts(const Executor& executor, const TimeoutOptions& options)
    : waits_{options.idle, options.header, options.progress, options.linger}, timer_(executor) {}

void Timeouts::arm(Entry& entry, TimeoutClass timeout, telemetry::Clock::time_point now) noexcept {
  const auto index = static_cast<std::size_t>(timeout);
  entry.unlink();
  entry.deadline_ = now + waits_[index];
  lists_[index].push_back(entry);
}

void Timeouts::disarm(Entry& entry) noexcept { entry.unlink(); }

void Timeouts::start(std::chrono::milliseconds period) {
  period_ = period;
  schedule();
}

void Timeouts::stop() noexcept {
  period_ = std::chrono::milliseconds{0};
  timer_.cancel();
}

void Timeouts::schedule() {
  if (period_.count() == 0) return;
  timer_.expires_after(period_);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    sweep(telemetry::Clock::now());
    schedule();
  });
}

void Timeouts::sweep(telemetry::Clock::time_point now) noexcept {
  for (std::size_t i = 0; i < timeout_classes; ++i) {
    auto& list = lists_[i];
    while (!list.empty() && list.front().deadline_ <= now) {
      Entry& entry = list.front();
      list.pop_front();
      entry.on_timeout(static_cast<TimeoutClass>(i));
    }
  }
}

}  // namespace headrace::http
