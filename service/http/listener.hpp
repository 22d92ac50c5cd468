#pragma once
// Accepts connections of one port and deals them out to the I/O threads in turn. Runs on the first of them.

#include <atomic>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "service/http/io_thread.hpp"
#include "service/http/plane.hpp"
#include "service/http/session.hpp"
#include "service/pipeline/permit.hpp"

namespace headrace::http {

class Listener {
 public:
  using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, Executor>;

  /// Binds and listens. Throws std::runtime_error naming the address when that fails.
  /// All references must outlive the listener and its sessions. `connections` bounds them; beyond it a connection waits
  /// in the kernel's backlog.
  Listener(const std::string& address, std::vector<std::unique_ptr<IoThread>>& threads, Plane& plane,
           asio::thread_pool& workers, const SessionOptions& options, pipeline::Budget& connections);

  /// Starts accepting.
  void start();
  /// Accepts what the kernel's backlog holds, then closes the port. Any thread; returns at once.
  void close();
  /// The port is closed and what its backlog held is being served. Any thread.
  bool closed() const noexcept { return port_closed_.load(std::memory_order_acquire); }

  /// "127.0.0.1:8000", with the port that was really bound.
  std::string address() const;

 private:
  Awaitable<> accept_all();
  IoThread& next_thread() noexcept;
  void serve(Socket socket, IoThread& thread, pipeline::Permit place);
  void accept_backlog();

  std::vector<std::unique_ptr<IoThread>>& threads_;
  Plane& plane_;
  asio::thread_pool& workers_;
  const SessionOptions& options_;
  pipeline::Budget& connections_;
  Acceptor acceptor_;
  asio::basic_waitable_timer<telemetry::Clock, asio::wait_traits<telemetry::Clock>, Executor> pause_;
  std::size_t next_ = 0;
  bool closed_ = false;  // on the accepting thread
  std::atomic<bool> port_closed_{false};
};

}  // namespace headrace::http
