#pragma once
// One I/O thread: its io_context, its clients, and the one sweep that watches their deadlines. Each method runs on the
// thread that calls it and returns when its work is done.

#include <cstdint>
#include <memory>
#include <vector>

#include "load/client.hpp"

namespace headrace::load {

class Worker {
 public:
  struct Settings {
    std::uint64_t number = 0;   // of this thread
    std::uint64_t threads = 1;
    std::size_t connections = 1;
    Endpoint server;
    Duration timeout{};
  };

  /// `payload` and `expectations` (may be null: answers are not checked) outlive the worker.
  Worker(const Settings& settings, const Payload& payload, Expectations* expectations);

  /// Opens all connections, as far as the server lets it.
  void open();
  /// Sends until the plan's share is done or `stop` is set; every request under way is waited for, up to its timeout.
  void run(const RunPlan& plan, std::uint64_t quota, const std::atomic<bool>& stop);

  Recorder& recorder() noexcept { return lane_.recorder; }
  /// Processor time of the last run() over its wall time, 0 to 1.
  double busy() const noexcept { return busy_; }

 private:
  Task<void> counted(Task<void> task);
  Task<void> sweep();
  void run_all(bool opening);

  Settings settings_;
  asio::io_context context_;
  Lane lane_;
  std::vector<std::unique_ptr<Client>> clients_;
  Timer sweep_timer_;
  std::size_t running_ = 0;
  double busy_ = 0;
};

}  // namespace headrace::load
