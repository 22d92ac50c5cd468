#include "service/app/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <thread>

#include "service/app/version.hpp"
#include "service/telemetry/log.hpp"

namespace headrace::app {

namespace {

constexpr std::uint32_t admin_connections_max = 64;
constexpr std::chrono::milliseconds admin_idle{20'000};
constexpr std::chrono::milliseconds timeout_sweep{250};
constexpr std::chrono::milliseconds connections_end_patience{2000};

/// Whether every model that must be there is.
bool requirements_met(const ServeConfig& config, const pipeline::FrontDoor& door) {
  return std::all_of(config.require_models.begin(), config.require_models.end(), [&door](const std::string& name) {
    return name == "all" ? door.faults().empty() : door.models().contains(name);
  });
}

std::string joined_names(const pipeline::FrontDoor& door) {
  std::string names;
  for (const auto& [name, model] : door.models()) names += names.empty() ? name : "," + name;
  return names.empty() ? "none" : names;
}

}  // namespace

Server::Server(const ServeConfig& config)
    : config_(config), data_connections_(config.max_connections), admin_connections_(admin_connections_max) {}

tl::expected<std::unique_ptr<Server>, std::string> Server::start(const ServeConfig& config,
                                                                 std::vector<std::unique_ptr<gpu::Device>> devices,
                                                                 const models::Repository& repository,
                                                                 const Budgets& budgets) {
  std::unique_ptr<Server> server(new Server(config));
  for (const auto& device : devices) {
    server->device_line_ += (server->device_line_.empty() ? "" : ",") + device->info().label;
  }
  auto engine = Engine::start(std::move(devices), repository, budgets, server->metrics_);
  if (!engine) return tl::unexpected(std::move(engine.error()));
  server->engine_ = std::move(*engine);
  auto& door = server->engine_->door();
  server->models_line_ = joined_names(door);

  server->session_options_.body_bytes_max = config.max_body;
  server->data_plane_ = std::make_unique<http::DataPlane>(door, server->lifecycle_, version);
  server->admin_plane_ = std::make_unique<http::AdminPlane>(server->metrics_, door, server->lifecycle_);
  server->workers_ = std::make_unique<asio::thread_pool>(budgets.codec_workers);
  const http::TimeoutOptions timeouts;
  for (std::uint32_t i = 0; i < budgets.io_threads; ++i) {
    server->io_threads_.push_back(std::make_unique<http::IoThread>(timeouts));
  }
  server->engine_->start_batchers(
      budgets.dispatch_on_io_thread ? std::optional(server->io_threads_.front()->context.get_executor()) : std::nullopt,
      budgets.express);
  // Few connections there: one that idles must not keep a scrape out for long.
  server->admin_threads_.push_back(std::make_unique<http::IoThread>(http::TimeoutOptions{.idle = admin_idle}));
  try {
    server->http_ =
        std::make_unique<http::Listener>(config.http, server->io_threads_, *server->data_plane_, *server->workers_,
                                         server->session_options_, server->data_connections_);
    server->admin_ =
        std::make_unique<http::Listener>(config.admin, server->admin_threads_, *server->admin_plane_, *server->workers_,
                                         server->session_options_, server->admin_connections_);
  } catch (const std::exception& error) {
    return tl::unexpected(std::string(error.what()));
  }

  server->metrics_.set_gauges([raw = server.get()] {
    auto snapshot = raw->engine_->gauges();
    snapshot.connections = static_cast<double>(raw->connections());
    snapshot.ready = raw->lifecycle_.ready.load() && !raw->engine_->door().device_lost();
    return snapshot;
  });
  for (std::size_t i = 0; i < server->io_threads_.size(); ++i) {
    server->io_threads_[i]->start(fmt::format("hr-io-{}", i), timeout_sweep);
  }
  server->admin_threads_.front()->start("hr-admin", timeout_sweep);
  server->started_ = true;
  server->http_->start();
  server->admin_->start();
  server->lifecycle_.ready.store(requirements_met(config, door), std::memory_order_release);
  return server;
}

Server::~Server() {
  // A server that failed to start has no threads; otherwise everything was drained, or is given up here.
  if (engine_) engine_->door().close();
  end_connections();
  for (auto& thread : io_threads_) thread->stop(true);
  for (auto& thread : io_threads_) thread->join();
  if (engine_) engine_->release_batchers();
  if (workers_) workers_->join();
  for (auto& thread : admin_threads_) thread->stop(true);
  for (auto& thread : admin_threads_) thread->join();
  metrics_.set_gauges({});
}

void Server::end_connections() noexcept {
  // A connection that waits holds itself by the operation it waits for: it has to run to its end, on its thread.
  for (auto* const threads : {&io_threads_, &admin_threads_}) {
    for (const auto& thread : *threads) {
      asio::post(thread->context, [raw = thread.get()] {
        for (auto at = raw->connections.begin(); at != raw->connections.end();) (at++)->abort();
      });
    }
  }
  const auto until = std::chrono::steady_clock::now() + connections_end_patience;
  while (started_ && data_connections_.held() + admin_connections_.held() != 0 &&
         std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::string Server::ready_line() const {
  const auto* const word = lifecycle_.ready.load() ? "ready" : "serving, not ready";
  return fmt::format("headrace {}: http http://{} admin http://{} device {} models {}", word, http_address(),
                     admin_address(), device_line_, models_line_);
}

void Server::stop_being_ready() noexcept {
  lifecycle_.ready.store(false, std::memory_order_release);
  lifecycle_.closing.store(true, std::memory_order_release);
}

void Server::close_data_plane() noexcept { http_->close(); }

void Server::close_idle_connections() noexcept {
  for (const auto& thread : io_threads_) {
    asio::post(thread->context, [raw = thread.get()] {
      for (auto at = raw->connections.begin(); at != raw->connections.end();) (at++)->close_when_idle();
    });
  }
}

}  // namespace headrace::app
