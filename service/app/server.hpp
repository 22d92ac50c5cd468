#pragma once
// The composition root: an engine, two planes, their threads and listeners; started in one order, drained in the other.

#include <boost/asio/thread_pool.hpp>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "service/app/budgets.hpp"
#include "service/app/config.hpp"
#include "service/app/engine.hpp"
#include "service/http/admin_plane.hpp"
#include "service/http/data_plane.hpp"
#include "service/http/io_thread.hpp"
#include "service/http/listener.hpp"
#include "service/telemetry/metrics.hpp"

namespace headrace::app {

class Server {
 public:
  /// Devices come from outside, so that tests can bring their own. Errors: one line, for the user.
  static tl::expected<std::unique_ptr<Server>, std::string> start(const ServeConfig& config,
                                                                  std::vector<std::unique_ptr<gpu::Device>> devices,
                                                                  const models::Repository& repository,
                                                                  const Budgets& budgets);
  ~Server();

  std::string http_address() const { return http_->address(); }
  std::string admin_address() const { return admin_->address(); }
  /// "headrace ready: …", as printed on standard output.
  std::string ready_line() const;
  Engine& engine() noexcept { return *engine_; }
  telemetry::Metrics& metrics() noexcept { return metrics_; }

  /// Finds devices that were lost in silence and answers what they had; to be called now and then. Any thread.
  void look_after_devices() noexcept { engine_->look_after_devices(); }

  // The steps of draining, each safe to call from the main thread only, in this order.
  void stop_being_ready() noexcept;  // ready is 503, answers say "Connection: close"
  void close_data_plane() noexcept;  // the port closes, its backlog accepted first
  bool data_plane_closed() const noexcept { return http_->closed(); }
  void close_idle_connections() noexcept;  // and the others after their answer
  std::uint64_t connections() const noexcept { return data_connections_.held(); }
  void close_queues() noexcept { engine_->door().close(); }

 private:
  explicit Server(const ServeConfig& config);
  void end_connections() noexcept;

  ServeConfig config_;
  telemetry::Metrics metrics_;
  http::Lifecycle lifecycle_;
  bool started_ = false;  // threads run
  std::string models_line_;
  std::string device_line_;
  http::SessionOptions session_options_;
  pipeline::Budget data_connections_;
  pipeline::Budget admin_connections_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<http::DataPlane> data_plane_;
  std::unique_ptr<http::AdminPlane> admin_plane_;
  std::unique_ptr<asio::thread_pool> workers_;
  std::vector<std::unique_ptr<http::IoThread>> admin_threads_;
  std::vector<std::unique_ptr<http::IoThread>> io_threads_;
  std::unique_ptr<http::Listener> admin_;
  std::unique_ptr<http::Listener> http_;
};

}  // namespace headrace::app
