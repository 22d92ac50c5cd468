#pragma once
// A thread that runs one io_context until it is stopped: the dispatcher that submits batches.

#include <pthread.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <string>
#include <thread>

#include "service/pipeline/executor.hpp"

namespace headrace::app {

class ContextThread {
 public:
  ContextThread() : guard_(context.get_executor()) {}
  ~ContextThread() { stop(); }
  ContextThread(const ContextThread&) = delete;
  ContextThread& operator=(const ContextThread&) = delete;

  /// `name`: at most 15 characters.
  void start(const std::string& name) {
    thread_ = std::thread([this, name] {
      pthread_setname_np(pthread_self(), name.c_str());
      context.run();
    });
  }
  /// Stops at once and joins.
  void stop() noexcept {
    guard_.reset();
    context.stop();
    if (thread_.joinable()) thread_.join();
  }

  asio::io_context context{1};

 private:
  asio::executor_work_guard<Executor> guard_;
  std::thread thread_;
};

}  // namespace headrace::app
