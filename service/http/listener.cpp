#include "service/http/listener.hpp"

#include <fmt/format.h>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <charconv>
#include <stdexcept>

#include "service/pipeline/spawn.hpp"
#include "service/telemetry/log.hpp"

namespace headrace::http {

namespace {

// A pause after a failed accept (no descriptors left, say): neither a spin nor a flood of log lines.
constexpr std::chrono::milliseconds accept_pause{50};

asio::ip::tcp::endpoint parse_endpoint(const std::string& address) {
  const auto colon = address.rfind(':');
  std::uint16_t port = 0;
  const char* const end = address.data() + address.size();
  const bool port_ok = colon != std::string::npos &&
                       std::from_chars(address.data() + colon + 1, end, port).ptr == end && colon + 1 < address.size();
  std::string host = address.substr(0, port_ok ? colon : 0);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  boost::system::error_code error;
  const auto ip = asio::ip::make_address(host, error);
  if (!port_ok || error) {
    throw std::runtime_error(fmt::format("address '{}': expected ADDRESS:PORT such as 127.0.0.1:8000", address));
  }
  return {ip, port};
}

}  // namespace

Listener::Listener(const std::string& address, std::vector<std::unique_ptr<IoThread>>& threads, Plane& plane,
                   asio::thread_pool& workers, const SessionOptions& options, pipeline::Budget& connections)
    : threads_(threads),
      plane_(plane),
      workers_(workers),
      options_(options),
      connections_(connections),
      acceptor_(threads.front()->context.get_executor()),
      pause_(threads.front()->context.get_executor()) {
  const auto endpoint = parse_endpoint(address);
  boost::system::error_code error;
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(4096, error);
  if (error) throw std::runtime_error(fmt::format("cannot listen on {}: {}", address, error.message()));
  acceptor_.non_blocking(true);
}

std::string Listener::address() const {
  const auto endpoint = acceptor_.local_endpoint();
  const auto ip = endpoint.address().to_string();
  return endpoint.address().is_v6() ? fmt::format("[{}]:{}", ip, endpoint.port())
                                    : fmt::format("{}:{}", ip, endpoint.port());
}

void Listener::start() { pipeline::spawn(threads_.front()->context.get_executor(), accept_all(), "listener"); }

void Listener::serve(Socket socket, IoThread& thread, pipeline::Permit place) {
  asio::post(thread.context, [this, &thread, socket = std::move(socket), place = std::move(place)]() mutable {
    std::make_shared<Session>(std::move(socket), thread, plane_, workers_, options_, std::move(place))->start();
  });
}

IoThread& Listener::next_thread() noexcept { return *threads_[next_++ % threads_.size()]; }

Awaitable<> Listener::accept_all() {
  static telemetry::LogThrottle log{1};
  while (!closed_) {
    IoThread& thread = next_thread();
    Socket socket(thread.context.get_executor());
    const auto [error] = co_await acceptor_.async_accept(socket, use_result);
    if (closed_ && error) co_return;
    auto place = error ? std::nullopt : connections_.try_acquire(1);
    while (!error && !place && !closed_) {  // the accepted one waits; the others wait in the kernel's backlog
      log.log(telemetry::LogLevel::warning, "connection limit reached",
              {{"limit", std::to_string(connections_.limit())}});
      pause_.expires_after(accept_pause);
      co_await pause_.async_wait(use_result);
      place = connections_.try_acquire(1);
    }
    if (place) serve(std::move(socket), thread, std::move(*place));
    if (!error) continue;
    log.log(telemetry::LogLevel::warning, "accept failed", {{"reason", error.message()}});
    pause_.expires_after(accept_pause);
    co_await pause_.async_wait(use_result);
  }
}

void Listener::accept_backlog() {
  for (;;) {
    auto place = connections_.try_acquire(1);
    if (!place) return;
    IoThread& thread = next_thread();
    Socket socket(thread.context.get_executor());
    boost::system::error_code error;
    acceptor_.accept(socket, error);
    if (error) return;
    serve(std::move(socket), thread, std::move(*place));
  }
}

void Listener::close() {
  asio::post(acceptor_.get_executor(), [this] {
    if (closed_) return;
    closed_ = true;
    boost::system::error_code ignored;
    acceptor_.cancel(ignored);
    accept_backlog();
    acceptor_.close(ignored);
    pause_.cancel();
    port_closed_.store(true, std::memory_order_release);
  });
}

}  // namespace headrace::http
