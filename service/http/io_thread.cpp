#include "service/http/io_thread.hpp"

#include <pthread.h>

#include <boost/asio/post.hpp>

namespace headrace::http {

namespace {
// A busy thread must not keep a flight waiting that has landed, nor look for one longer than its patience.
constexpr int handlers_between_looks = 8;
}  // namespace

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
    run();
  });
}

void IoThread::run() {
  for (;;) {
    context.restart();  // a flight to look for stops it
    if (ended_.load(std::memory_order_acquire)) {  // looked at after the restart, which may have undone that stop too
      mailbox.leave();
      return;
    }
    if (mailbox.attending()) {
      mailbox.look();
      for (int ran = 0; ran < handlers_between_looks && context.poll_one() != 0; ++ran) continue;
    } else {
      context.run();
      if (!mailbox.attending()) return;  // stopped, or nothing is left to do
    }
  }
}

void IoThread::stop(bool now) noexcept {
  guard_.reset();
  if (now) {
    ended_.store(true, std::memory_order_release);
    context.stop();
  } else {
    asio::post(context, [this] { timeouts.stop(); });
  }
}

void IoThread::join() noexcept {
  if (thread_.joinable()) thread_.join();
}

}  // namespace headrace::http
