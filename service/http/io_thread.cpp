#include "service/http/io_thread.hpp"

#include <pthread.h>

#include <boost/asio/post.hpp>

namespace headrace::http {

IoThread::IoThread(const TimeoutOptions& options)
    : timeouts(context.get_executor(), options), mailbox(context.get_executor()), guard_(context.get_executor()) {}

IoThread::~IoThread() {
  stop(true);
  join();
}

void IoThread::start(const std::string& name, std::chrono::milliseconds timeout_sweep) {
  thread_ = std::thread([this, name, timeout_sweep] {
    pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());  // the kernel keeps 15 characters
    timeouts.start(timeout_sweep);
    context.run();
  });
}

void IoThread::stop(bool now) noexcept {
  guard_.reset();
  if (now) {
    context.stop();
  } else {
    asio::post(context, [this] { timeouts.stop(); });
  }
}

void IoThread::join() noexcept {
  if (thread_.joinable()) thread_.join();
}

}  // namespace headrace::http
