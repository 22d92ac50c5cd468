#pragma once
// The whole pipeline over the puppet device: front door, one model (y = 2x + 1 over FP32[4]), its batcher, slots and
// flights. The dispatcher and the requests' home thread are contexts that the test runs on its own thread, so that
// nothing happens behind its back; or that it gives threads of their own.

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "service/pipeline/batcher.hpp"
#include "service/pipeline/express.hpp"
#include "service/pipeline/front_door.hpp"
#include "service/pipeline/mailbox.hpp"
#include "service/telemetry/metrics.hpp"
#include "tests/support/flight_log.hpp"
#include "tests/support/puppet_device.hpp"

namespace headrace::test {

inline constexpr std::int64_t rig_columns = 4;

struct RigOptions {
  std::uint32_t slots = 1;
  std::uint32_t devices = 1;
  std::uint32_t rows_max = 64;
  std::uint32_t segments_max = 32;
  std::uint32_t queue_max = 64;
  std::uint64_t queue_delay_us = 0;
  std::uint64_t timeout_us = 0;
  std::uint64_t memory_bytes = 4u << 20;  // the pool, and the budget
  std::uint64_t requests_max = 1000;
  bool express = false;
  std::size_t express_large_bytes = pipeline::Express::large_bytes_default;
};

/// How a request wants to be.
struct Ask {
  std::uint32_t rows = 1;
  float first = 0;             // its values are first, first + 1, …
  std::uint64_t timeout_us = 0;
  bool binary = true;          // input and output
};

/// HTTP's view of a body: its bytes, and H.
struct Body {
  std::string bytes;
  std::optional<std::uint64_t> json_bytes;
};
Body body_of(const Ask& ask);

class Rig {
 public:
  explicit Rig(const RigOptions& options = {});
  /// Ends what is in the air, and checks that everything is home again.
  ~Rig();

  /// Reserved, filled and prepared for `home`, not yet submitted. Errors: of reserve and prepare.
  proto::Result<std::shared_ptr<pipeline::Request>> prepared(const Ask& ask, pipeline::Mailbox& home);
  proto::Result<std::shared_ptr<pipeline::Request>> prepared(const Ask& ask) { return prepared(ask, mailbox); }

  /// A request that was submitted, and what became of it.
  struct Sent {
    std::shared_ptr<pipeline::Request> request;
    int answers = 0;            // how often the wait ended
    bool answered = false;      // with an answer
    std::uint64_t order = 0;    // among all answers of the rig
  };
  /// Prepares, submits and waits by callback; fails the test when any of it is refused.
  std::shared_ptr<Sent> send(const Ask& ask);
  std::vector<std::shared_ptr<Sent>> send_many(std::size_t requests, const Ask& ask = {});

  /// Waits by callback for a request that was submitted already.
  std::shared_ptr<Sent> watch(std::shared_ptr<pipeline::Request> request);

  /// Runs everything that is ready, of both contexts, and waits for nothing.
  void settle();
  /// Runs, waiting for timers and other threads, until `done`; false when it did not come.
  [[nodiscard]] bool run_until(const std::function<bool()>& done, std::chrono::seconds patience = support::wait_limit);

  /// Every slot, of lost devices too, is back with its ring.
  bool all_home() const;
  std::size_t free_slots() { return slots->free().size(); }

  // In the order of construction.
  std::vector<std::unique_ptr<support::PuppetDevice>> devices;
  support::PuppetDevice& device;
  telemetry::Metrics metrics;
  std::unique_ptr<gpu::HostPool> pool;
  std::unique_ptr<pipeline::Slots> slots;
  std::unique_ptr<pipeline::FrontDoor> door;
  std::shared_ptr<pipeline::ServedModel> model;
  pipeline::Flights flights;
  std::atomic<std::uint64_t> flight_numbers{0};
  asio::io_context home{1};
  pipeline::Mailbox mailbox{home.get_executor()};
  asio::io_context dispatcher{1};
  std::unique_ptr<pipeline::Batcher> batcher;
  std::optional<pipeline::Express> express;
  bool checks_memory = true;  // false where a lost device keeps buffers

 private:
  void wait(const std::shared_ptr<Sent>& sent);

  std::uint64_t answers_ = 0;
};

/// Whether the request's output is 2x + 1 of what `ask` put in.
bool answer_is_right(const pipeline::Request& request, const Ask& ask);

}  // namespace headrace::test
