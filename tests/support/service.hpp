#pragma once
// The whole service inside a test: real sockets, real threads, on the device that the test brings.

#include <memory>
#include <string>
#include <vector>

#include "service/app/server.hpp"
#include "tests/support/puppet_device.hpp"

namespace headrace::support {

struct ServiceOptions {
  std::string device = "cpu";  // where the test brings none
  std::uint32_t io_threads = 2;
  std::uint32_t slots = 2;
  std::uint64_t memory_budget = 64u << 20;
  std::uint64_t max_body = 8u << 20;
  bool express = false;  // as with a GPU: a request that finds the service idle is submitted by its own I/O thread
};

/// On the devices that the test brings, serving `repository` on free ports.
std::unique_ptr<app::Server> start_server(std::vector<std::unique_ptr<gpu::Device>> devices,
                                          const models::Repository& repository, const ServiceOptions& options = {});

class Service {
 public:
  /// On a puppet, or several. `repository`: what it serves.
  Service(std::unique_ptr<PuppetDevice> device, const models::Repository& repository,
          const ServiceOptions& options = {});
  Service(std::vector<std::unique_ptr<PuppetDevice>> devices, const models::Repository& repository,
          const ServiceOptions& options = {});
  /// Serving that repository folder, on options.device.
  explicit Service(const std::string& models, const ServiceOptions& options = {});
  /// Drains: every flight must be able to end, or its device lost.
  ~Service();

  app::Server& server() noexcept { return *server_; }
  std::string address() const { return server_->http_address(); }
  std::string admin_address() const { return server_->admin_address(); }
  PuppetDevice& puppet(std::size_t index = 0) noexcept { return *puppets_[index]; }

  /// The value of that sample, label set included, from a scrape of /metrics; -1 when it is not there.
  double metric(const std::string& sample) const;
  /// Reads the sample until it has that value; false after 10 s.
  [[nodiscard]] bool wait_for_metric(const std::string& sample, double value) const;

 private:
  std::vector<PuppetDevice*> puppets_;
  std::unique_ptr<app::Server> server_;
};

/// The models that ship: deploy/models of the sources, or where the environment's HEADRACE_TEST_MODELS says.
std::string shipped_models();

/// One model of that name: y = 2x + 1 over FP32[columns].
models::Repository affine_repository(const std::string& name, std::int64_t columns,
                                     const models::BatchingOptions& batching);

}  // namespace headrace::support
