#pragma once
// One I/O thread: its io_context and all that its connections share. Everything here but `context.post` is used by the
// thread itself only.

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <string>
#include <thread>

#include "proto/infer_request.hpp"
#include "service/http/reply.hpp"
#include "service/http/timeouts.hpp"
#include "service/pipeline/mailbox.hpp"

namespace headrace::http {

/// What the thread must be able to do to its connections.
class Connection : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  /// Draining is over for idle ones: a connection between two requests closes, a busy one after its answer.
  virtual void close_when_idle() noexcept = 0;
  /// The drain deadline passed.
  virtual void abort() noexcept = 0;

 protected:
  ~Connection() = default;
};

class IoThread {
 public:
  explicit IoThread(const TimeoutOptions& options);
  ~IoThread();  // stops and joins
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  /// Starts the thread under that name; `timeout_sweep` is the period of the timeout lists.
  void start(const std::string& name, std::chrono::milliseconds timeout_sweep);
  /// Lets the loop end once nothing is left to do, or at once when `now`. Does not wait.
  void stop(bool now) noexcept;
  void join() noexcept;

  asio::io_context context{1};
  Timeouts timeouts;
  pipeline::Mailbox mailbox;
  proto::InferRequestParser parser;
  DateText date;
  boost::intrusive::list<Connection, boost::intrusive::constant_time_size<false>> connections;

 private:
  void run();

  asio::executor_work_guard<Executor> guard_;
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

}  // namespace headrace::http
