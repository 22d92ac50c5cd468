#include "tests/support/flight_log.hpp"

namespace headrace::support {

void FlightLog::on_flight_done(const gpu::FlightResult& result) noexcept {
  const std::lock_guard lock(mutex_);
  results_[result.flight].push_back(result);
  ++notices_;
  told_.notify_all();  // under the lock: the log may be gone once a waiter has seen it
}

bool FlightLog::wait_for(std::size_t flights) {
  std::unique_lock lock(mutex_);
  return told_.wait_for(lock, wait_limit, [&] { return results_.size() >= flights; });
}

bool FlightLog::wait_for_flight(std::uint64_t flight) {
  std::unique_lock lock(mutex_);
  return told_.wait_for(lock, wait_limit, [&] { return results_.contains(flight); });
}

std::size_t FlightLog::notices_of(std::uint64_t flight) const {
  const std::lock_guard lock(mutex_);
  const auto found = results_.find(flight);
  return found == results_.end() ? 0 : found->second.size();
}

std::size_t FlightLog::notices() const {
  const std::lock_guard lock(mutex_);
  return notices_;
}

gpu::FlightResult FlightLog::result(std::uint64_t flight) const {
  const std::lock_guard lock(mutex_);
  return results_.at(flight).front();
}

}  // namespace headrace::support
